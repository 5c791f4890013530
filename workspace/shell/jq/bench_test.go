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
	in := records()
	for _, row := range []struct {
		name string
		args []string
	}{
		{"length", []string{"jq", "length"}},
		{"select", []string{"jq", "-sc", "map(select(.active)) | map(.score)"}},
		{"id", []string{"jq", "-c", ".id"}},
		{"identity", []string{"jq", "-c", "."}},
	} {
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
