package text

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command/commandtest"
)

// records gives about 5 MB of JSON lines.
func records() string {
	var b strings.Builder
	for i := range 37_860 {
		fmt.Fprintf(&b, `{"id":%d,"name":"user%d","email":"user%d@example.com","score":%d,"status":"%s","note":"%x"}`+"\n",
			i, i, i, i*7919%1000, []string{"active", "pending", "deleted"}[i%3], i*2654435761)
	}
	return b.String()
}

func write(tb testing.TB, dir, name, content string) {
	tb.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		tb.Fatal(err)
	}
}

func BenchmarkCommands(b *testing.B) {
	dir := b.TempDir()
	data := records()
	write(b, dir, "big", data)
	part := len(data) / 200
	for i := range 200 {
		write(b, dir, fmt.Sprintf("tree/%d/f%d.json", i%10, i), data[i*part:(i+1)*part])
	}
	for _, args := range [][]string{
		{"grep", "-cE", `"status":"(active|pending)"`, "big"},
		{"grep", "-cE", `[0-9]+5@|zzz`, "big"},
		{"grep", "-c", "active", "big"},
		{"grep", "-c", "-v", "active", "big"},
		{"grep", "-n", "score\":7", "big"},
		{"grep", "-o", "[0-9]*", "big"},
		{"grep", "-r", "user12345", "tree"},
		{"grep", "-rn", "pending", "tree"},
		{"sort", "big"},
		{"sort", "-t:", "-k5,5n", "big"},
		{"sort", "-rn", "big"},
		{"wc", "big"},
		{"wc", "-l", "big"},
		{"cut", "-d,", "-f2,4", "big"},
		{"tr", "a-z", "A-Z"},
		{"uniq", "-c", "big"},
		{"cat", "-n", "big"},
		{"tail", "-n", "5", "big"},
	} {
		b.Run(strings.ReplaceAll(strings.Join(args, " "), "/", "_"), func(b *testing.B) {
			kit := commandtest.Kit{Commands: Commands(), Dir: dir}
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				n := command.Nested{Args: args}
				if args[0] == "tr" {
					n.In = strings.NewReader(data)
				}
				if code := kit.Exec(b.Context(), b, n); code != 0 {
					b.Fatalf("exit code %d", code)
				}
			}
		})
	}
}
