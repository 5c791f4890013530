package journal

import (
	"fmt"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// Damage is the cause of an error with code "journal.damaged": which record of which
// run cannot be trusted. Records before Seq are good.
type Damage struct {
	Run    string
	Seq    int64 // of the first record that is damaged or missing
	Reason string
}

// Error implements error.
func (d *Damage) Error() string { return fmt.Sprintf("record %d: %s", d.Seq, d.Reason) }

func damaged(run string, seq int64, reason string) error {
	return &fault.Error{
		Code: "journal.damaged", Op: "read", Subject: run,
		Cause: &Damage{Run: run, Seq: seq, Reason: reason},
	}
}

func runNotFound(op, run string) error {
	return fault.New("journal.run_not_found", "there is no such run in this data directory").With(op, run)
}

func tooLarge(what string, size, limit int) error {
	return fault.New("journal.payload_too_large", "%s has %d bytes, %d are allowed", what, size, limit)
}

func invalidRecord(format string, args ...any) *fault.Error {
	return fault.New("journal.invalid_record", format, args...)
}

func blobNotFound(hash string) error {
	return fault.New("journal.blob_not_found", "there is no such blob in this data directory").With("get blob", hash)
}

func closedStore(op string) error {
	return fault.New("journal.closed", "the store is closed").With(op, "")
}
