// Package shelltest compares the sandboxed shell with the real programs: cases are scripts
// in files, what the real shell made of them is recorded beside them, and what ours makes
// of them is compared with the record. No program contains it.
package shelltest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Case is one script.
type Case struct {
	Name   string
	Script string
	// Differs is set when ours differs from the real programs on purpose: what and why.
	Differs string
	Instead string // what to write instead
	Line    int    // of its heading
}

// Result is what a script led to.
type Result struct {
	Out    string            `json:"out"`
	Exit   int               `json:"exit"`
	Stderr bool              `json:"stderr,omitempty"` // something was written to standard error
	Files  map[string]string `json:"files,omitempty"`  // after: path to content; a link is "-> target", a directory "/"
}

// Recorded is what the real programs made of a file of cases.
type Recorded struct {
	Oracle  string            `json:"oracle"` // versions
	Results map[string]Result `json:"results"`
}

// Read reads a file of cases: "== name" begins one.
func Read(file string) ([]Case, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var cases []Case
	seen := map[string]bool{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		heading, ok := strings.CutPrefix(line, "== ")
		if !ok {
			if len(cases) == 0 {
				if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
					return nil, fmt.Errorf("%s:%d: a script before the first heading", file, n)
				}
				continue
			}
			cases[len(cases)-1].Script += line + "\n"
			continue
		}
		c := Case{Line: n}
		var why string
		c.Name, why, _ = strings.Cut(heading, " !differs:")
		c.Name = strings.TrimSpace(c.Name)
		c.Differs, c.Instead, _ = strings.Cut(why, "|")
		c.Differs, c.Instead = strings.TrimSpace(c.Differs), strings.TrimSpace(c.Instead)
		if c.Name == "" || seen[c.Name] {
			return nil, fmt.Errorf("%s:%d: the case needs a name that no other has: %q", file, n, c.Name)
		}
		seen[c.Name] = true
		cases = append(cases, c)
	}
	return cases, lines.Err()
}

// Area gives the part of the name of a file of cases that stands before the first "-".
func Area(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), ".txt")
	area, _, _ := strings.Cut(name, "-")
	return area
}

func recordFile(file string) string { return strings.TrimSuffix(file, ".txt") + ".recorded.json" }

// Load gives the record of a file of cases.
func Load(file string) (Recorded, error) {
	var r Recorded
	b, err := os.ReadFile(recordFile(file))
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	return r, err
}

// Save writes the record of a file of cases.
func Save(file string, r Recorded) error {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(r); err != nil {
		return err
	}
	return os.WriteFile(recordFile(file), []byte(b.String()), 0o644)
}
