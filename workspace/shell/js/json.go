package js

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// maxJSON bounds the nesting of JSON (shell spec §5).
const maxJSON = 10_000

// jsonReader reads JSON into values of the language. It takes the place of the engine's,
// for its messages, its bound on nesting and its speed.
type jsonReader struct {
	r     *Runtime
	s     string
	i     int
	depth int
}

// parseJSON reads one value. The error is a value of the language.
func (r *Runtime) parseJSON(text goja.Value) goja.Value {
	j := &jsonReader{r: r, s: text.String()}
	v := j.value()
	j.space()
	if j.i < len(j.s) {
		panic(j.r.newError("SyntaxError", "Unexpected non-whitespace character after JSON at position "+strconv.Itoa(j.position())))
	}
	return v
}

func (j *jsonReader) space() {
	for j.i < len(j.s) && (j.s[j.i] == ' ' || j.s[j.i] == '\n' || j.s[j.i] == '\t' || j.s[j.i] == '\r') {
		j.i++
	}
}

// position gives where the reader stands, as the language counts.
func (j *jsonReader) position() int { return units(j.s[:j.i]) }

func (j *jsonReader) fail(what string) *goja.Object {
	return j.r.newError("SyntaxError", what+" in JSON at position "+strconv.Itoa(j.position()))
}

// unexpected is the error for a token that cannot stand here.
func (j *jsonReader) unexpected() *goja.Object {
	if j.i >= len(j.s) {
		return j.r.newError("SyntaxError", "Unexpected end of JSON input")
	}
	switch j.s {
	case "NaN", "Infinity", "undefined", "[object Object]":
		return j.r.newError("SyntaxError", "\""+j.s+"\" is not valid JSON")
	}
	at, _ := utf8.DecodeRuneInString(j.s[j.i:])
	switch {
	case at == '"':
		return j.fail("Unexpected string")
	case at == '-' || at >= '0' && at <= '9':
		return j.fail("Unexpected number")
	}
	const around = 10 // letters shown on each side of a long text
	all, p := []rune(j.s), utf8.RuneCountInString(j.s[:j.i])
	from, to, before, after := 0, len(all), "", ""
	if len(all) > 2*around {
		if p >= around {
			from, before = p-around, "..."
		}
		if p < len(all)-around {
			to, after = p+around, "..."
		}
	}
	return j.r.newError("SyntaxError", fmt.Sprintf("Unexpected token '%c', %s\"%s\"%s is not valid JSON", at, before, string(all[from:to]), after))
}

func (j *jsonReader) value() goja.Value {
	j.space()
	if j.i >= len(j.s) {
		panic(j.unexpected())
	}
	switch c := j.s[j.i]; {
	case c == '{':
		return j.object()
	case c == '[':
		return j.array()
	case c == '"':
		return j.r.vm.ToValue(j.text())
	case c == '-' || c >= '0' && c <= '9':
		return j.number()
	}
	for word, v := range jsonWords {
		if strings.HasPrefix(j.s[j.i:], word) {
			j.i += len(word)
			if v == nil {
				return goja.Null()
			}
			return j.r.vm.ToValue(v)
		}
	}
	// The first letter that no longer fits the word that was begun is the wrong one.
	for word := range jsonWords {
		if word[0] == j.s[j.i] {
			n := 0
			for j.i+n < len(j.s) && n < len(word) && j.s[j.i+n] == word[n] {
				n++
			}
			j.i += n
			break
		}
	}
	panic(j.unexpected())
}

var jsonWords = map[string]any{"true": true, "false": false, "null": nil}

func (j *jsonReader) enter() {
	if j.depth++; j.depth > maxJSON {
		panic(j.r.rangeError("the JSON is nested deeper than %d", maxJSON))
	}
	j.i++
	j.space()
}

func (j *jsonReader) object() goja.Value {
	j.enter()
	o := j.r.vm.NewObject()
	if j.i < len(j.s) && j.s[j.i] == '}' {
		j.i++
		j.depth--
		return o
	}
	for first := true; ; first = false {
		j.space()
		if j.i >= len(j.s) || j.s[j.i] != '"' {
			if first {
				panic(j.fail("Expected property name or '}'"))
			}
			panic(j.fail("Expected double-quoted property name"))
		}
		name := j.text()
		j.space()
		if j.i >= len(j.s) || j.s[j.i] != ':' {
			panic(j.fail("Expected ':' after property name"))
		}
		j.i++
		v := j.value()
		if name == "__proto__" {
			_ = o.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
		} else {
			_ = o.Set(name, v)
		}
		j.space()
		switch {
		case j.i < len(j.s) && j.s[j.i] == ',':
			j.i++
		case j.i < len(j.s) && j.s[j.i] == '}':
			j.i++
			j.depth--
			return o
		default:
			panic(j.fail("Expected ',' or '}' after property value"))
		}
	}
}

func (j *jsonReader) array() goja.Value {
	j.enter()
	var list []any
	if j.i < len(j.s) && j.s[j.i] == ']' {
		j.i++
		j.depth--
		return j.r.vm.NewArray()
	}
	for {
		list = append(list, j.value())
		j.space()
		switch {
		case j.i < len(j.s) && j.s[j.i] == ',':
			j.i++
		case j.i < len(j.s) && j.s[j.i] == ']':
			j.i++
			j.depth--
			return j.r.vm.NewArray(list...)
		default:
			panic(j.fail("Expected ',' or ']' after array element"))
		}
	}
}

func (j *jsonReader) number() goja.Value {
	start := j.i
	digits := func() bool {
		from := j.i
		for j.i < len(j.s) && j.s[j.i] >= '0' && j.s[j.i] <= '9' {
			j.i++
		}
		return j.i > from
	}
	if j.s[j.i] == '-' {
		j.i++
		if j.i >= len(j.s) || j.s[j.i] < '0' || j.s[j.i] > '9' {
			panic(j.fail("No number after minus sign"))
		}
	}
	if j.s[j.i] == '0' {
		if j.i++; j.i < len(j.s) && j.s[j.i] >= '0' && j.s[j.i] <= '9' {
			panic(j.fail("Unexpected number"))
		}
	} else {
		digits()
	}
	whole := true
	if j.i < len(j.s) && j.s[j.i] == '.' {
		whole = false
		j.i++
		if !digits() {
			panic(j.fail("Unterminated fractional number"))
		}
	}
	if j.i < len(j.s) && j.s[j.i]|0x20 == 'e' {
		whole = false
		j.i++
		if j.i < len(j.s) && (j.s[j.i] == '+' || j.s[j.i] == '-') {
			j.i++
		}
		if !digits() {
			panic(j.fail("Exponent part is missing a number"))
		}
	}
	text := j.s[start:j.i]
	if whole && len(text) < 16 && text != "-0" {
		n, _ := strconv.ParseInt(text, 10, 64)
		return j.r.vm.ToValue(n)
	}
	f, _ := strconv.ParseFloat(text, 64)
	return j.r.vm.ToValue(f)
}

// text reads a string, whose quote is next.
func (j *jsonReader) text() string {
	j.i++
	start := j.i
	for j.i < len(j.s) && j.s[j.i] != '"' && j.s[j.i] != '\\' && j.s[j.i] >= 0x20 {
		j.i++
	}
	if j.i < len(j.s) && j.s[j.i] == '"' {
		j.i++
		return j.s[start : j.i-1]
	}
	var b strings.Builder
	b.WriteString(j.s[start:j.i])
	for {
		if j.i >= len(j.s) {
			panic(j.r.newError("SyntaxError", "Unterminated string in JSON at position "+strconv.Itoa(j.position())))
		}
		switch c := j.s[j.i]; {
		case c == '"':
			j.i++
			return b.String()
		case c < 0x20:
			panic(j.fail("Bad control character in string literal"))
		case c != '\\':
			b.WriteByte(c)
			j.i++
		default:
			j.escape(&b)
		}
	}
}

func (j *jsonReader) escape(b *strings.Builder) {
	j.i++
	if j.i >= len(j.s) {
		panic(j.unexpected())
	}
	c := j.s[j.i]
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
		b.WriteByte("\"\\/\b\f\n\r\t"[i])
		j.i++
		return
	}
	if c != 'u' {
		panic(j.fail("Bad escaped character"))
	}
	j.i++
	r := j.hex()
	if utf16.IsSurrogate(r) && strings.HasPrefix(j.s[j.i:], `\u`) {
		at := j.i
		j.i += 2
		if pair := utf16.DecodeRune(r, j.hex()); pair != utf8.RuneError {
			b.WriteRune(pair)
			return
		}
		j.i = at
	}
	b.WriteRune(r)
}

func (j *jsonReader) hex() rune {
	if j.i+4 > len(j.s) {
		j.i = len(j.s)
		panic(j.unexpected())
	}
	n, err := strconv.ParseUint(j.s[j.i:j.i+4], 16, 32)
	if err != nil {
		panic(j.fail("Bad Unicode escape"))
	}
	j.i += 4
	return rune(n)
}
