// Package replay owns the recording of model traffic in a cassette, and the playing of it
// in place of the servers. Both are transports below a provider: what was recorded is read
// by the same adapter that would read the server's answer. The package knows no provider,
// never retries and reads no environment. Its file is its only state.
//
// A cassette is a file of JSON lines: a header for each model, and one interaction for each
// request of an attempt, with its answer as it came, whole, broken or missing. It holds
// headers of a list only, and none of the secrets that are known: where one stood there is
// «secret:NAME». Programs see {{secret:NAME}} there, as everywhere else.
//
// An interaction is found by invocation path, turn and attempt, which [model.WithAttempt]
// puts into the context, and its request must be equal but for ids of runs and calls and
// what the patterns of [Options].Normalise say. So the order of arrival does not matter.
// Requests without an attempt are told apart by their bodies alone.
//
// [Recorder] and [Player] are safe for concurrent use.
package replay
