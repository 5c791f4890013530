package jq

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command/commandtest"
)

// records is about 5 MB of small objects, one a line.
func records() string {
	var b strings.Builder
	for i := range 37_860 {
		fmt.Fprintf(&b, `{"id":%d,"name":"user %d","email":"user%d@example.com","active":%t,"score":%d.5,"tags":["a","b"],"city":"Town %d"}`+"\n", i, i, i, i%2 == 0, i%100, i%50)
	}
	return b.String()
}

func BenchmarkRecords(b *testing.B) {
	lines := records()
	whole := "[" + strings.ReplaceAll(strings.TrimSuffix(lines, "\n"), "\n", ",\n") + "]"
	for _, row := range []struct {
		name string
		in   string
		args []string
	}{
		{"length", lines, []string{"jq", "length"}},
		{"select", lines, []string{"jq", "-sc", "map(select(.active)) | map(.score)"}},
		{"id", lines, []string{"jq", "-c", ".id"}},
		{"identity", lines, []string{"jq", "-c", "."}},
		{"array length", whole, []string{"jq", "length"}},
		{"array sum", whole, []string{"jq", "map(select(.score > 5) | .id) | add"}},
		{"array id", whole, []string{"jq", "-c", ".[] | .id"}},
		{"array group", whole, []string{"jq", "-c", "group_by(.city) | map({city: .[0].city, n: length})"}},
	} {
		in := row.in
		b.Run(row.name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				kit := commandtest.Kit{Commands: Commands(), Dir: b.TempDir()}
				if code := kit.Exec(b.Context(), b, command.Nested{Args: row.args, In: strings.NewReader(in)}); code != 0 {
					b.Fatal(code)
				}
			}
		})
	}
}

// BenchmarkStart is a query of one value: what each call costs.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		kit := commandtest.Kit{Commands: Commands(), Dir: b.TempDir()}
		kit.Exec(b.Context(), b, command.Nested{Args: []string{"jq", ".a"}, In: strings.NewReader(`{"a":1}`)})
	}
}
