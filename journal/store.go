package journal

import (
	"context"
	"iter"
	"time"
)

// Store keeps records and blobs. Every method is safe for concurrent use and may block
// on I/O; actors call them in effects. Error codes: "journal.stale_owner",
// "journal.seq_conflict", "journal.ended", "journal.append_failed", "journal.run_held",
// "journal.run_not_found", "journal.damaged", "journal.version_unsupported",
// "journal.payload_too_large", "journal.blob_not_found", "journal.doc_conflict",
// "journal.invalid_record" (a mistake of the caller), "journal.command_not_found",
// "journal.closed", "journal.read_failed", and "journal.timeout" or "journal.cancelled"
// when ctx ended first. A damaged read gives the good records before the damage too.
type Store interface {
	// Append stores the batches in one transaction with one flush, each batch all or
	// nothing on its own: the error of batches[i] is errs[i]; a fault of the store
	// itself fails all. Batches of one run must be in order.
	Append(ctx context.Context, batches []Batch) (errs []error)
	// Read gives the records of a run in order. See [Query].
	Read(ctx context.Context, run string, q Query) ([]Record, error)
	// Blobs are addressed by the hex SHA-256 of their bytes; a put is idempotent, a get verifies.
	PutBlob(ctx context.Context, data []byte) (hash string, err error)
	GetBlob(ctx context.Context, hash string) ([]byte, error)
	// Acquire makes the caller the owner of a run and raises its epoch, which is what the
	// ownership goes by: several owners may use one opening. A run that does not exist may
	// be acquired: its first append creates it. A run that has an owner whose holder lives,
	// this one too: "journal.run_held", unless takeOver.
	Acquire(ctx context.Context, run string, takeOver bool) (epoch int64, err error)
	// Release gives back what Acquire gave. A run that somebody else has acquired since, or
	// that does not exist, is left alone.
	Release(ctx context.Context, run string, epoch int64) error
	// Subscribe gives the stored records of a run from seq from (0: the first), then live
	// ones, without a gap and none twice. It ends after the run has ended and all its
	// records were given, or with the error of ctx. A reader that is slow reads on from
	// the store; it never holds up a writer. "journal.run_not_found" when nobody has
	// acquired the run yet.
	Subscribe(ctx context.Context, run string, from int64) Events
	// Runs lists summaries, newest first.
	Runs(ctx context.Context) ([]Summary, error)
	// Summary gives one; "journal.run_not_found".
	Summary(ctx context.Context, run string) (Summary, error)
	// The command table between processes (protocol §5).
	Post(ctx context.Context, run string, c Command) (id int64, err error)
	// Commands lists those of a run with an id above after, in order; "" those of every run.
	Commands(ctx context.Context, run string, after int64) ([]Command, error)
	Reply(ctx context.Context, id int64, answer string) error
	// Rewrite puts another payload in place of that of a command, such as one without
	// secrets; what was there is gone. "journal.command_not_found".
	Rewrite(ctx context.Context, id int64, payload string) error
	// Holder names this opening of the store, as whoever owns a run through it is shown:
	// host, process and a random part.
	Holder() string
	Close() error
}

// Changes is implemented by stores that can tell cheaply whether anything was written
// by anybody since a token was taken.
type Changes interface {
	ChangeToken(ctx context.Context) (int64, error)
}

// Immediate is implemented by stores whose append never blocks: the owner of a run may
// call it in the middle of its own work instead of in an effect. Contract and codes are
// those of [Store.Append]. The store keeps the slice of records: the caller lets go of it.
type Immediate interface {
	AppendNow(b *Batch) error
}

// Batch is an append of one run. Its records carry the run, the epoch and dense seqs
// from After+1; anything else is "journal.invalid_record".
type Batch struct {
	Run     string
	Epoch   int64
	After   int64 // seq of the run's last record before this batch
	Records []Record
}

// Query narrows a read. The zero value reads a whole run.
type Query struct {
	From, To   int64  // seq, inclusive; To 0: to the end
	Invocation string // only this scope
	Task       string
	Types      []Type // only these
	Limit      int    // default and maximum 10,000 when From, or anything else but To, is set; a zero Query is unlimited
	NoBlobs    bool   // leave contents that are blobs without Text
}

// Summary is what a list of runs shows. It comes from an index that can be rebuilt.
type Summary struct {
	Run     string    `json:"run"`
	Team    string    `json:"team"`
	State   string    `json:"state"` // running, interrupted, paused, parked, or the outcome
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
	LastSeq int64     `json:"last_seq"`
	Epoch   int64     `json:"epoch"`
	Holder  string    `json:"holder,omitempty"` // of a live owner
}

// Command is a row of the command table.
type Command struct {
	ID      int64     `json:"id"`
	Run     string    `json:"run"`
	Kind    string    `json:"kind"` // cancel, cancel_task, pause, say, tree
	Payload string    `json:"payload,omitempty"`
	By      string    `json:"by,omitempty"`
	At      time.Time `json:"at"`
	Answer  string    `json:"answer,omitempty"` // see [Recorded]; of a tree its JSON; empty: not applied yet
}

// Events is a stream of records with the error that ended it, if any.
type Events = iter.Seq2[Record, error]

// TaskCommand is the payload of a command about one task.
type TaskCommand struct {
	Task   string `json:"task"` // id
	Reason string `json:"reason,omitempty"`
}
