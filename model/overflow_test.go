package model

import (
	"strings"
	"testing"
)

// What servers say when a request is too long, and the window that is learned from it.
func TestWindowNamed(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, said string
		want       int
	}{
		{"a service", "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 in the completion).", 8192},
		{"with groups of digits", "maximum context length is 1,047,576 tokens", 1_047_576},
		{"a prompt and its maximum", "prompt is too long: 210000 tokens > 200000 maximum", 200_000},
		{"input and output together", "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length", 200_000},
		{"counted by the server", "The input token count (1050000) exceeds the maximum number of tokens allowed (1048576).", 1_048_576},
		{"a local server", "the request exceeds the available context size (4096 tokens), try increasing it", 4096},
		{"a local server, with the request first", "request (5000 tokens) exceeds the available context size (4096 tokens)", 4096},
		{"none is named", "the request is too large", 0},
		{"the number is too far behind", "maximum context length is " + strings.Repeat("x", 100) + " 8192", 0},
		{"no window is that small", "maximum context length is 12 tokens", 0},
		{"or that large", "maximum context length is 99999999999999999999 tokens", 0},
		{"the sign is missing", "prompt is too long: 210000 tokens", 0},
		{"nothing", "", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if got := WindowNamed(row.said); got != row.want {
				t.Errorf("%d, want %d", got, row.want)
			}
		})
	}
}

func FuzzWindowNamed(f *testing.F) {
	f.Add("maximum context length is 8192 tokens")
	f.Add("prompt is too long > 1_000")
	f.Fuzz(func(t *testing.T, s string) {
		if n := WindowNamed(s); n != 0 && (n < leastWindow || n > mostWindow) {
			t.Errorf("%d of %q", n, s)
		}
	})
}
