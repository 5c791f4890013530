package regex

import (
	"fmt"
	"strings"
	"testing"
)

// records gives about 5 MB of JSON lines.
func records() []byte {
	var b strings.Builder
	for i := range 37_860 {
		fmt.Fprintf(&b, `{"id":%d,"name":"user%d","email":"user%d@example.com","score":%d,"status":"%s","tags":["a%d","b%d"]}`+"\n",
			i, i, i, i*7919%1000, []string{"active", "pending", "deleted"}[i%3], i%17, i%31)
	}
	return []byte(b.String())
}

func BenchmarkCountRecords(b *testing.B) {
	data := records()
	for _, bench := range []struct {
		pattern string
		o       Options
	}{
		{`"status":"active"`, Options{Syntax: Fixed}},
		{`"status":"(active|pending)"`, Options{Syntax: Extended}},
		{`score":[0-9]*7,`, Options{Syntax: Extended}},
		{`(foo|bar|deleted)`, Options{Syntax: Extended}},
		{`[0-9]+5@|zzz`, Options{Syntax: Extended}},
		{`^.*"id":[0-9]+5,.*pending`, Options{Syntax: Extended}},
		{`USER[0-9]5"`, Options{Syntax: Extended, FoldCase: true}},
		{`active`, Options{Syntax: Basic, Word: true}},
		{`\(.\)\1\1\1`, Options{Syntax: Basic}},
		{`"score":(?=9)`, Options{Syntax: Perl}},
	} {
		bench.o.Records, bench.o.Terminator = true, '\n'
		b.Run(bench.pattern, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				re, err := Compile(bench.pattern, bench.o)
				if err != nil {
					b.Fatal(err)
				}
				count := 0
				for at := 0; at < len(data); {
					_, end, ok, err := re.Record(data, at)
					if err != nil {
						b.Fatal(err)
					}
					if !ok {
						break
					}
					count++
					at = end + 1
				}
				b.ReportMetric(float64(count), "matches")
			}
		})
	}
}

func BenchmarkSpans(b *testing.B) {
	data := records()
	for _, pattern := range []string{`[0-9]+`, `user`, `"[a-z]+":`} {
		b.Run(pattern, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			re, err := Compile(pattern, Options{Syntax: Extended})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				for at := 0; ; {
					_, end, ok, _ := re.Span(data, at)
					if !ok {
						break
					}
					at = end
				}
			}
		})
	}
}
