package shelltest

import (
	"os"
	"strings"
)

// Known reads a list of cases that fail at present, one "file/name" a line; a line that
// begins with # says something.
func Known(file string) (map[string]bool, error) {
	b, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return map[string]bool{}, nil
	}
	known := map[string]bool{}
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			known[line] = true
		}
	}
	return known, err
}
