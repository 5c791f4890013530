package shell

import (
	"slices"

	"github.com/seed-cf6d8d1b/swarm/workspace"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// MaxListed bounds each list of changed paths in the structured result (shell spec §1).
const MaxListed = 200

// Result is the structured result of a call (shell spec §1).
type Result struct {
	ExitCode        *int     `json:"exitCode"` // null when the script did not come to its end
	OutputTruncated bool     `json:"outputTruncated"`
	StdoutChars     int64    `json:"stdoutChars"`
	StderrChars     int64    `json:"stderrChars"`
	DurationMs      int64    `json:"durationMs"`
	Limit           *Limit   `json:"limit,omitempty"`
	Changed         Changed  `json:"changed"`
	OpenForWriting  []string `json:"openForWriting,omitempty"`
}

// Limit is the limit that ended a call.
type Limit struct {
	Name  string `json:"name"` // as in the settings
	Value int64  `json:"value"`
	Unit  string `json:"unit"`
}

// Changed are the paths that a call changed, at most [MaxListed] a list, sorted.
type Changed struct {
	Created  []string `json:"created"`
	Modified []string `json:"modified"`
	Deleted  []string `json:"deleted"`
	Omitted  *Omitted `json:"omitted,omitempty"` // what the lists leave out
}

// Omitted counts the paths that the lists of [Changed] leave out.
type Omitted struct {
	Created  int `json:"created"`
	Modified int `json:"modified"`
	Deleted  int `json:"deleted"`
}

// Structured gives the structured result of a call that changed files.
func Structured(o Outcome, changes []workspace.Change) Result {
	r := Result{
		OutputTruncated: o.Stdout.Left > 0 || o.Stderr.Left > 0,
		StdoutChars:     o.Stdout.Chars, StderrChars: o.Stderr.Chars,
		DurationMs:     o.Duration.Milliseconds(),
		Changed:        changed(changes),
		OpenForWriting: o.OpenForWriting,
	}
	if o.Kind == Exited {
		r.ExitCode = &o.Code
	}
	if o.Limit != nil {
		r.Limit = limitOf(o.Limit)
	}
	return r
}

func limitOf(h *limits.Hit) *Limit { return &Limit{h.Name, h.Value, h.Unit} }

func changed(changes []workspace.Change) Changed {
	out := Changed{Created: []string{}, Modified: []string{}, Deleted: []string{}}
	for _, c := range changes {
		switch {
		case c.New == "":
			out.Deleted = append(out.Deleted, c.Path)
		case c.Old == "":
			out.Created = append(out.Created, c.Path)
		default:
			out.Modified = append(out.Modified, c.Path)
		}
	}
	left := Omitted{cut(&out.Created), cut(&out.Modified), cut(&out.Deleted)}
	if left != (Omitted{}) {
		out.Omitted = &left
	}
	return out
}

// cut sorts a list, shortens it to what is shown and gives how many are left out.
func cut(paths *[]string) int {
	slices.Sort(*paths)
	left := max(0, len(*paths)-MaxListed)
	*paths = (*paths)[:len(*paths)-left]
	return left
}
