package shell

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Text gives the result as the model reads it (shell spec §1): how the call ended, standard
// output, then standard error. Bytes that are no UTF-8 are U+FFFD, control characters other
// than newline and tab are visible escapes.
func Text(o Outcome) string {
	var b strings.Builder
	if o.Kind == Exited {
		fmt.Fprintf(&b, "exit code %d\n", o.Code)
	} else {
		b.WriteString(Visible(o.Reason) + "\n")
	}
	for _, file := range o.OpenForWriting {
		fmt.Fprintf(&b, "/%s was open for writing and may be incomplete.\n", Visible(strings.TrimPrefix(file, "/")))
	}
	switch out, errs := o.Stdout.Bytes > 0, o.Stderr.Bytes > 0; {
	case out && errs:
		o.Stdout.write(&b, ">")
		if !endsLine(b.String()) {
			b.WriteByte('\n')
		}
		b.WriteString("stderr:\n")
		o.Stderr.write(&b, "2>")
	case out:
		o.Stdout.write(&b, ">")
	case errs:
		o.Stderr.write(&b, "2>")
	default:
		b.WriteString("(no output)")
	}
	return b.String()
}

func endsLine(s string) bool { return strings.HasSuffix(s, "\n") }

// write adds the stream with a line for what was left out; redirect is the operator that
// sends it to a file.
func (c Capture) write(b *strings.Builder, redirect string) {
	writeVisible(b, c.Head)
	if c.Left > 0 {
		if len(c.Head) > 0 && c.Head[len(c.Head)-1] != '\n' {
			b.WriteByte('\n')
		}
		fmt.Fprintf(b, "[%s left out here. To keep all of it, redirect it into a file, as in: COMMAND %s /scratch/out.txt]\n", characters(c.Left), redirect)
	}
	writeVisible(b, c.Tail)
}

func characters(n int64) string {
	if n == 1 {
		return "1 character is"
	}
	return grouped(n) + " characters are"
}

// grouped writes a number with commas.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Visible makes a text safe to show: control characters other than newline and tab become
// escapes such as \x1b, and bytes that are no UTF-8 become U+FFFD.
func Visible(s string) string {
	var b strings.Builder
	writeVisible(&b, []byte(s))
	return b.String()
}

func writeVisible(b *strings.Builder, p []byte) {
	plain := 0 // where the bytes begin that are as they are
	for i := 0; i < len(p); {
		r, size := rune(p[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(p[i:])
		}
		if !hidden(r) && (r != utf8.RuneError || size > 1) {
			i += size
			continue
		}
		b.Write(p[plain:i])
		switch {
		case r == utf8.RuneError:
			b.WriteRune(utf8.RuneError)
		case r < utf8.RuneSelf:
			fmt.Fprintf(b, `\x%02x`, r)
		default:
			fmt.Fprintf(b, `\u%04x`, r)
		}
		i += size
		plain = i
	}
	b.Write(p[plain:])
}

// hidden says whether a character controls a terminal: C0 but newline and tab, DEL and C1.
func hidden(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0
}
