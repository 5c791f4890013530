package journal

import (
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// head is what decides whether an append is taken.
type head struct {
	epoch  int64
	last   int64 // seq of the last record; 0: none
	ended  bool
	holder string // the last owner, for messages only
}

// admit decides a batch. With repeat the records' seqs are all stored already: the
// caller compares their bytes, and refuses the batch with err when they differ.
func (h *head) admit(b *Batch) (repeat bool, err error) {
	for i := range b.Records {
		r := &b.Records[i]
		if r.Payload == nil || r.Run != b.Run || r.Epoch != b.Epoch || r.Seq != b.After+1+int64(i) {
			return false, invalidRecord("record %d of the batch after %d has run %q, epoch %d, seq %d: that is not its place",
				i, b.After, r.Run, r.Epoch, r.Seq).With("append", b.Run)
		}
	}
	if h.epoch == 0 || b.Epoch != h.epoch {
		return false, fault.New("journal.stale_owner", "epoch %d was given, the run is at epoch %d of %s",
			b.Epoch, h.epoch, orNobody(h.holder)).With("append", b.Run)
	}
	repeat = len(b.Records) > 0 && b.After+int64(len(b.Records)) <= h.last
	if err := h.refuseEnded(b); err != nil {
		return repeat, err
	}
	if b.After != h.last {
		return repeat, fault.New("journal.seq_conflict", "the batch follows record %d, the run is at record %d",
			b.After, h.last).With("append", b.Run)
	}
	return false, nil
}

// refuseEnded refuses what may not stand behind the end of a run.
func (h *head) refuseEnded(b *Batch) error {
	ended := h.ended
	for i := range b.Records {
		r := &b.Records[i]
		switch t := r.Type(); {
		case ended && t != TLateEvent && !r.Optional:
			return fault.New("journal.ended", "the run has ended, a record of type %q cannot follow; fork it to go on", t).With("append", b.Run)
		case t == TRunEnded:
			ended = true
		}
	}
	return nil
}

// advance follows an append.
func (h *head) advance(b *Batch) {
	h.last += int64(len(b.Records))
	for i := range b.Records {
		h.ended = h.ended || b.Records[i].Type() == TRunEnded
	}
}

func orNobody(holder string) string {
	if holder == "" {
		return "nobody"
	}
	return holder
}

// States of a run in the index; an ended run has its outcome.
const (
	stateRunning     = "running"
	stateInterrupted = "interrupted"
	statePaused      = "paused"
	stateParked      = "parked"
)

// index is a run's entry of the summary index, a fold of its records.
type index struct {
	team    string
	state   string
	created time.Time
	ended   bool
}

// apply folds one record, and says whether it changed anything.
func (x *index) apply(r *Record) bool {
	before := *x
	if r.Seq == 1 {
		*x = index{state: stateRunning, created: r.At.UTC().Truncate(time.Microsecond)}
	}
	switch p := r.Payload.(type) {
	case *RunCreated:
		x.team = p.Name
		if x.team == "" {
			x.team = p.TeamHash
		}
	case *RunPaused:
		x.rest(statePaused)
	case *RunParked:
		x.rest(stateParked)
	case *RunResumed:
		x.rest(stateRunning)
	case *RunEnded:
		x.state, x.ended = string(p.Outcome), true
	}
	return *x != before
}

// rest sets the state of a run that has not ended.
func (x *index) rest(state string) {
	if !x.ended {
		x.state = state
	}
}

// shown gives the state as a list shows it: a run that nobody works on is interrupted.
func (x *index) shown(live bool) string {
	if x.state == stateRunning && !live {
		return stateInterrupted
	}
	return x.state
}
