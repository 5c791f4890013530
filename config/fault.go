package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// maxFaults bounds what one load reports: more help nobody.
const maxFaults = 100

// Fault is one thing that is wrong, or worth a warning, in the files of a team.
type Fault struct {
	File    string `json:"file,omitempty"` // as the user named it; or a flag
	Line    int    `json:"line,omitempty"` // from 1; 0: no place is known
	Column  int    `json:"column,omitempty"`
	Code    string `json:"code"` // config.*
	Text    string `json:"text"` // what is wrong
	Mend    string `json:"mend,omitempty"`
	Warning bool   `json:"warning,omitempty"`
}

// String gives place, text, mend and code in one line.
func (f Fault) String() string {
	var b strings.Builder
	if f.File != "" {
		b.WriteString(f.File)
		if f.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", f.Line, f.Column)
		}
		b.WriteString(": ")
	}
	if f.Warning {
		b.WriteString("warning: ")
	}
	b.WriteString(f.Text)
	if f.Mend != "" {
		b.WriteString("; " + f.Mend)
	}
	fmt.Fprintf(&b, " [%s]", f.Code)
	return b.String()
}

// Faults are all faults of a team. It is the cause of the error of code "config.invalid"
// that loading gives.
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

// invalid wraps faults as an error, or gives nil for none.
func invalid(file string, fs Faults) error {
	if len(fs) == 0 {
		return nil
	}
	wrong := 0
	for _, f := range fs {
		if !f.Warning {
			wrong++
		}
	}
	n := "1 fault"
	if wrong != 1 {
		n = fmt.Sprintf("%d faults", wrong)
	}
	return fault.Wrap(report{fs}, "config.invalid", "%s", n).With("read team", file)
}

// report is the text of faults within an error, which has a code of its own: theirs and
// the warnings are left out.
type report struct{ faults Faults }

// Unwrap gives the faults.
func (r report) Unwrap() error { return r.faults }

// Error gives one fault a line, or the only one.
func (r report) Error() string {
	var lines []string
	for _, f := range r.faults {
		if !f.Warning {
			lines = append(lines, strings.TrimSuffix(f.String(), " ["+f.Code+"]"))
		}
	}
	if len(lines) == 1 {
		return lines[0]
	}
	return "\n" + strings.Join(lines, "\n")
}

// maxAlike bounds how many warnings of one code are told of one file: more say no more.
const maxAlike = 5

// bounded leaves out warnings of a file beyond that bound, and says how many there are.
func bounded(fs Faults) Faults {
	type kind struct{ file, code string }
	of := func(f Fault) kind { return kind{f.File, f.Code} }
	total, told := map[kind]int{}, map[kind]int{}
	for _, f := range fs {
		if f.Warning {
			total[of(f)]++
		}
	}
	var out Faults
	for _, f := range fs {
		k := of(f)
		if !f.Warning {
			out = append(out, f)
			continue
		}
		told[k]++
		switch more := total[k] - maxAlike; {
		case told[k] <= maxAlike || more == 1:
			out = append(out, f)
		case told[k] == maxAlike+1:
			out = append(out, Fault{File: f.File, Line: f.Line, Column: f.Column, Code: f.Code, Text: fmt.Sprintf("and %d more of this kind", more), Warning: true})
		}
	}
	return out
}

// sorted orders faults by file as they came, then by place.
func sorted(fs Faults) Faults {
	order := map[string]int{}
	for _, f := range fs {
		if _, ok := order[f.File]; !ok {
			order[f.File] = len(order)
		}
	}
	slices.SortStableFunc(fs, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(order[a.File], order[b.File]), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return fs
}
