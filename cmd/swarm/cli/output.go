package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"

	"golang.org/x/term"

	"github.com/seed-cf6d8d1b/swarm/internal/secret"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// value prints one JSON value on a line.
func (a *app) value(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// record prints a record as one line of JSON, as the journal stores it.
func (a *app) record(r *journal.Record) error {
	line, _, err := journal.Encode(r)
	if err != nil {
		return err
	}
	_, err = a.out.Write(append(line, '\n'))
	return err
}

// plain makes a text safe for a line on a terminal: one line without control characters
// and without what looks like a key, at most n characters.
func plain(s string, n int) string {
	s = secret.Likely(s[:min(len(s), lookAt+16*n)])
	var b strings.Builder
	space, chars := false, 0
	for _, r := range strings.TrimSpace(s) {
		if unicode.IsSpace(r) || unicode.IsControl(r) || r == unicode.ReplacementChar {
			space = true
			continue
		}
		if turns(r) {
			continue
		}
		if chars >= n {
			return b.String() + "…"
		}
		if space {
			b.WriteByte(' ')
			space = false
			chars++
		}
		b.WriteRune(r)
		chars++
	}
	return b.String()
}

// lookAt is how much of a text is looked through before a line is made of its beginning,
// in bytes beside those of the line.
const lookAt = 4 << 10

// tokens says what was read and written, as far as the servers said it.
func tokens(u journal.Usage) string {
	part := func(n *int64) string {
		if n == nil {
			return "?"
		}
		return grouped(*n)
	}
	return fmt.Sprintf("%s tokens in, %s out", part(u.Input), part(u.Output))
}

// grouped writes a number with a comma every three digits.
func grouped(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// short rounds a duration to what a reader cares about.
func short(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// shown makes a text of several lines safe for a terminal: what could move its cursor,
// change its colours or turn the direction of a line stands there as an escape.
func shown(s string) string {
	s = workspace.Visible(s)
	if !strings.ContainsFunc(s, turns) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if turns(r) {
			fmt.Fprintf(&b, "<U+%04X>", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// turns says whether a character turns the direction of what follows.
func turns(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) }

// isTerminal says whether what is written somewhere is seen on a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
