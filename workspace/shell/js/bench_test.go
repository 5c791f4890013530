package js_test

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkStart is a program that does nothing.
func BenchmarkStart(b *testing.B) {
	k := kit(b)
	for b.Loop() {
		eval(b, k, "1")
	}
}

// BenchmarkJSON reads 5 MB of records and adds up a field.
func BenchmarkJSON(b *testing.B) {
	k := kit(b)
	var text strings.Builder
	for i := range 37_860 {
		fmt.Fprintf(&text, "%c\n{\"id\":%d,\"name\":\"user %d\",\"email\":\"u%d@example.com\",\"score\":%d.5,\"active\":true,\"tags\":[\"a\",\"b\"],\"note\":\"some text\"}", ",["[boolIndex(i == 0)], i, i, i, i%100)
	}
	write(b, k.Dir, "big.json", text.String()+"]")
	for b.Loop() {
		if out, _, _ := eval(b, k, "console.log(JSON.parse(fs.readFileSync('big.json', 'utf8')).reduce((s, r) => s + r.score, 0))"); out != "1891800\n" {
			b.Fatalf("the sum is %q", out)
		}
	}
}

func boolIndex(b bool) int {
	if b {
		return 1
	}
	return 0
}
