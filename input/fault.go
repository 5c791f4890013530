package input

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// MaxFaults bounds what one check reports: more help nobody.
const MaxFaults = 20

// Fault is one thing that is wrong with an input.
type Fault struct {
	File   string // as the user named it; empty: the input was made in code
	Line   int    // from 1; 0: no place is known
	Column int    // from 1
	Place  string // e.g. messages[3].role; may be empty
	Text   string // what is wrong
	Mend   string // what to write instead; may be empty
}

// String gives place, text and mend in one line.
func (f Fault) String() string {
	var b strings.Builder
	if f.File != "" {
		b.WriteString(f.File)
		if f.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", f.Line, f.Column)
		}
		b.WriteString(": ")
	}
	b.WriteString(f.Sentence())
	if f.Mend != "" {
		b.WriteString("; " + f.Mend)
	}
	return b.String()
}

// Sentence is the text with its place inside the input, without file and mend.
func (f Fault) Sentence() string {
	if f.Place == "" {
		return f.Text
	}
	return f.Place + ": " + f.Text
}

// Faults are all faults of an input, at most [MaxFaults]. It is the cause of the errors
// of code "input.invalid".
type Faults []Fault

// Error gives one fault a line.
func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// FaultsOf gives the faults in the chain of an error, or nil.
func FaultsOf(err error) Faults {
	var fs Faults
	errors.As(err, &fs)
	return fs
}

// add notes a fault, unless there are enough.
func (fs *Faults) add(f Fault) {
	if len(*fs) < MaxFaults {
		*fs = append(*fs, f)
	}
}

// within notes a fault of a part of the input.
func (fs *Faults) within(place string, f Fault) {
	f.Place = place + "." + f.Place
	fs.add(f)
}

// full says that no further fault would be kept.
func (fs Faults) full() bool { return len(fs) >= MaxFaults }

// invalid wraps faults as an error, or gives nil for none.
func (fs Faults) invalid(op, subject string) error {
	switch len(fs) {
	case 0:
		return nil
	case 1:
		return fault.Wrap(fs, "input.invalid", "").With(op, subject)
	}
	return fault.Wrap(fs, "input.invalid", "%d faults", len(fs)).With(op, subject)
}
