-- A run's number keeps the keys of its records short. epoch and holder are its owner row.
CREATE TABLE run (
	id     INTEGER PRIMARY KEY,
	name   TEXT NOT NULL UNIQUE,
	epoch  INTEGER NOT NULL,
	holder TEXT,
	since  INTEGER
) STRICT;

-- One row holds consecutive records of one append, a line each. id is run.id << 32 plus
-- the seq of the first, so that a run is one range; n is how many; at is the time of the
-- last, in microseconds.
CREATE TABLE chunk (
	id   INTEGER PRIMARY KEY,
	n    INTEGER NOT NULL,
	at   INTEGER NOT NULL,
	data BLOB NOT NULL
) STRICT;

CREATE TABLE blob (
	hash BLOB NOT NULL UNIQUE,
	data BLOB NOT NULL
) STRICT;

-- The summary index is a fold of the records and can be made anew.
CREATE TABLE summary (
	id      INTEGER PRIMARY KEY,
	team    TEXT NOT NULL,
	state   TEXT NOT NULL,
	created INTEGER NOT NULL,
	ended   INTEGER NOT NULL
) STRICT;

CREATE TABLE lease (
	holder  TEXT PRIMARY KEY,
	host    TEXT NOT NULL,
	pid     INTEGER NOT NULL,
	started TEXT NOT NULL,
	renewed INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE command (
	id      INTEGER PRIMARY KEY AUTOINCREMENT,
	run     TEXT NOT NULL,
	kind    TEXT NOT NULL,
	payload TEXT NOT NULL,
	sender  TEXT NOT NULL,
	at      INTEGER NOT NULL,
	answer  TEXT NOT NULL
) STRICT;

CREATE INDEX command_run ON command (run, id);
