package tooling

import (
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/internal/near"
)

// head gives the first n characters of a text.
func head(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// folded is a name without case, "_" and "-".
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// suggest gives the accepted name that was likely meant, or "": one that differs only in
// case, "_" and "-", else the nearest one within a third of its length.
func suggest(name string, accepted []string) string {
	best, least := "", 0
	for _, a := range accepted {
		if folded(a) == folded(name) {
			return a
		}
		d := near.Distance(folded(name), folded(a))
		if d <= max(1, chars(a)/3) && (best == "" || d < least) {
			best, least = a, d
		}
	}
	return best
}

// Nearest gives up to n names by rising edit distance, ties by name. The list itself is
// not changed.
func Nearest(name string, names []string, n int) []string {
	type candidate struct {
		name     string
		distance int
	}
	all := make([]candidate, len(names))
	for i, other := range names {
		all[i] = candidate{other, near.Distance(name, other)}
	}
	slices.SortFunc(all, func(a, b candidate) int {
		if a.distance != b.distance {
			return a.distance - b.distance
		}
		return strings.Compare(a.name, b.name)
	})
	out := []string{}
	for _, a := range all[:min(n, len(all))] {
		out = append(out, a.name)
	}
	return out
}
