package files

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// textKind says what kind of text data is, or that it is none.
func textKind(b []byte) kind {
	whole := len(b) < looked
	charset, encoding := charsetOf(b, whole)
	if charset == "" {
		if len(b) == 1 {
			return kind{"very short file (no magic)", "application/octet-stream", "binary"}
		}
		return kind{"data", "application/octet-stream", "binary"}
	}
	k := kind{charset + " text", "text/plain", encoding}
	switch script, mime := scriptOf(b); {
	case script != "":
		k.words, k.mime = script+" script, "+charset+" text executable", mime
		if script == "Node.js" {
			k.words = "Node.js script executable, " + charset + " text"
		}
	case jsonKind(b, whole):
		k.words, k.mime = "JSON text data", "application/json"
		return k
	default:
		head := strings.ToLower(string(b[:min(len(b), 4096)]))
		trimmed := strings.TrimLeft(head, " \t\r\n\ufeff")
		switch {
		case strings.HasPrefix(trimmed, "<?xml"):
			k.words, k.mime = "XML 1.0 document, "+charset+" text", "text/xml"
			if strings.Contains(head, "<svg") {
				k.words, k.mime = "SVG Scalable Vector Graphics image", "image/svg+xml"
				return k
			}
		case strings.HasPrefix(trimmed, "<!doctype html"), strings.HasPrefix(trimmed, "<html"), strings.HasPrefix(trimmed, "<head"), strings.HasPrefix(trimmed, "<title"):
			k.words, k.mime = "HTML document, "+charset+" text", "text/html"
		case strings.HasPrefix(head, "-----begin certificate"):
			k.words = "PEM certificate"
			return k
		default:
			if source, mime := sourceOf(b); source != "" {
				k.words, k.mime = source+", "+charset+" text", mime
			} else if csvKind(b) {
				k.words, k.mime = "CSV "+charset+" text", "text/csv"
				if charset == "ASCII" {
					k.words = "CSV text"
					return k
				}
			}
		}
	}
	k.words += lineWords(b)
	return k
}

// charsetOf names the characters of a text; "" when it is none.
func charsetOf(b []byte, whole bool) (words, encoding string) {
	switch {
	case bytes.HasPrefix(b, []byte("\xff\xfe")) && len(b)%2 == 0 || bytes.HasPrefix(b, []byte("\xff\xfe")) && !whole:
		return "Unicode text, UTF-16, little-endian", "utf-16le"
	case bytes.HasPrefix(b, []byte("\xfe\xff")):
		return "Unicode text, UTF-16, big-endian", "utf-16be"
	}
	ascii := true
	for _, c := range b {
		switch {
		case c == 0x1b:
		case c < 7 || c > 13 && c < 32 || c == 0x7f:
			return "", ""
		case c >= 0x80:
			ascii = false
		}
	}
	if ascii {
		return "ASCII", "us-ascii"
	}
	text := b
	for cut := 0; !whole && cut < utf8.UTFMax && !utf8.Valid(text); cut++ {
		text = text[:len(text)-1]
	}
	if utf8.Valid(text) {
		if bytes.HasPrefix(b, []byte("\xef\xbb\xbf")) {
			return "Unicode text, UTF-8 (with BOM)", "utf-8"
		}
		return "Unicode text, UTF-8", "utf-8"
	}
	for _, c := range b {
		if c >= 0x80 && c < 0xa0 {
			if c == 0x85 {
				continue
			}
			return "Non-ISO extended-ASCII", "unknown-8bit"
		}
	}
	return "ISO-8859", "iso-8859-1"
}

// scriptOf reads the first line of a script.
func scriptOf(b []byte) (words, mime string) {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	rest, ok := bytes.CutPrefix(line, []byte("#!"))
	if !ok {
		return "", ""
	}
	fields := strings.Fields(string(rest))
	if len(fields) == 0 {
		return "", ""
	}
	name := baseName(fields[0])
	if name == "env" && len(fields) > 1 {
		name = fields[1]
		if name == "-S" && len(fields) > 2 {
			name = fields[2]
		}
	}
	switch {
	case name == "sh" || name == "dash":
		return "POSIX shell", "text/x-shellscript"
	case name == "bash":
		return "Bourne-Again shell", "text/x-shellscript"
	case name == "zsh":
		return "Paul Falstad's zsh", "text/x-shellscript"
	case strings.HasPrefix(name, "python"):
		return "Python", "text/x-script.python"
	case name == "perl":
		return "Perl", "text/x-perl"
	case name == "ruby":
		return "Ruby", "text/x-ruby"
	case name == "node":
		return "Node.js", "application/javascript"
	case name == "awk" || name == "gawk" || name == "mawk":
		return "awk", "text/x-awk"
	}
	return "a " + strings.TrimSpace(string(rest)), "text/plain"
}

// jsonKind says whether a text is an object or array of JSON.
func jsonKind(b []byte, whole bool) bool {
	trimmed := bytes.TrimLeft(b, " \t\r\n")
	return whole && len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') && json.Valid(b)
}

var languages = []struct {
	re          *regexp.Regexp
	words, mime string
}{
	{regexp.MustCompile(`(?m)^#include[ \t]*[<"]`), "C source", "text/x-c"},
	{regexp.MustCompile(`(?m)^diff --git |^--- .*\n\+\+\+ `), "unified diff output", "text/x-diff"},
	{regexp.MustCompile(`(?m)^(from [\w.]+ import |import [\w.]+$|def \w+\(.*\).*:$)`), "Python script", "text/x-script.python"},
	{regexp.MustCompile(`(?m)^import [\w.]+;|^package [\w.]+;|^public class `), "Java source", "text/x-java"},
}

// sourceOf names the language of a source text.
func sourceOf(b []byte) (words, mime string) {
	for _, s := range languages {
		if s.re.Match(b[:min(len(b), 8192)]) {
			return s.words, s.mime
		}
	}
	return "", ""
}

// csvKind says whether the first lines have the same number of fields, at least two.
func csvKind(b []byte) bool {
	lines := bytes.SplitN(b, []byte("\n"), 12)
	fields, seen := -1, 0
	for i, line := range lines {
		if i == len(lines)-1 || seen == 10 {
			break
		}
		n, quoted := 1, false
		for _, c := range line {
			switch {
			case c == '"':
				quoted = !quoted
			case c == ',' && !quoted:
				n++
			}
		}
		if fields >= 0 && n != fields || n < 2 {
			return false
		}
		fields = n
		seen++
	}
	return seen > 1
}

// longLine is the length from which on file mentions very long lines.
const longLine = 300

// lineWords says what is special about lines.
func lineWords(b []byte) string {
	longest, crlf, cr, lf := 0, 0, 0, 0
	start := 0
	for i, c := range b {
		switch {
		case c == '\r' && i+1 < len(b) && b[i+1] == '\n':
			continue
		case c == '\n' && i > 0 && b[i-1] == '\r':
			crlf++
		case c == '\n':
			lf++
		case c == '\r':
			cr++
		default:
			continue
		}
		longest = max(longest, i-start)
		start = i + 1
	}
	longest = max(longest, len(b)-start)
	words := ""
	if longest > longLine {
		words += fmt.Sprintf(", with very long lines (%d)", longest)
	}
	var ends []string
	if crlf > 0 {
		ends = append(ends, "CRLF")
	}
	if cr > 0 {
		ends = append(ends, "CR")
	}
	if lf > 0 {
		ends = append(ends, "LF")
	}
	switch {
	case len(ends) == 0:
		words += ", with no line terminators"
	case crlf > 0 || cr > 0:
		words += ", with " + strings.Join(ends, ", ") + " line terminators"
	}
	if bytes.IndexByte(b, 0x1b) >= 0 {
		words += ", with escape sequences"
	}
	return words
}
