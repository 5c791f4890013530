package expand

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// mode is what a builder makes of a word.
type mode uint8

const (
	fields      mode = iota
	text             // one string
	pattern          // the text of a pattern, what was quoted escaped
	expression       // the text of a regular expression, what was quoted escaped
	replacement      // of ${name/pattern/word}: a quoted & or \ escaped
)

// builder collects the result of a word.
type builder struct {
	c       *Config
	mode    mode
	colon   bool // a tilde counts after each colon
	split   bool // literals are split as well: the word of ${name-word}
	lists   bool // the word has lists: white space before its first field counts
	sawList bool // a list such as "$@" stood in the quotes
	err     error
	out     []string
	pending
	globs []wildcard
	ifs   *separators
}

// wildcard is a field that is a pattern for paths.
type wildcard struct {
	at      int // in out
	pattern string
}

// pending is the field that is being built.
type pending struct {
	buf      []byte
	pat      []byte // as a pattern; kept once something in it differs from buf
	keeps    bool   // pat is kept
	magic    bool   // something unquoted makes it a pattern
	open     bool   // it exists, though it may be empty
	extended bool   // an extended pattern stands in it
	ended    ended
}

// ended is how the field before ended.
type ended uint8

const (
	begun   ended = iota // there is none
	byBlank              // by white space of IFS: a separator after it belongs to it
	bySeparator
)

func (b *builder) begin() {
	b.reset()
	b.ended = begun
	b.sawList, b.split, b.colon, b.lists = false, false, false, false
}

// end ends the word: what became a pattern gives way to the paths that it matches.
func (b *builder) end(ctx context.Context) error {
	if b.open {
		b.flush()
	}
	if b.err != nil || len(b.globs) == 0 {
		return b.err
	}
	rest := slices.Clone(b.out[b.globs[0].at:])
	b.out = b.out[:b.globs[0].at]
	done := b.globs[0].at
	for _, g := range b.globs {
		b.out = append(b.out, rest[:g.at-done]...)
		rest, done = rest[g.at-done:], g.at
		paths, err := b.c.glob(ctx, g.pattern)
		switch {
		case err != nil:
			return err
		case len(paths) > 0:
			b.out = append(b.out, paths...)
		case b.c.FailGlob:
			return &Error{Text: "no match: " + rest[0], Code: 1}
		case !b.c.NullGlob:
			continue
		}
		rest, done = rest[1:], done+1
	}
	b.out = append(b.out, rest...)
	b.globs = b.globs[:0]
	return nil
}

// flush ends the field.
func (b *builder) flush() {
	if b.magic && !b.c.NoGlob && isGlob(b.pat, b.c.ExtGlob || b.extended) {
		b.globs = append(b.globs, wildcard{len(b.out), string(b.pat)})
	}
	b.out = append(b.out, string(b.buf))
	b.reset()
	if b.err == nil && len(b.out)&0xff == 0 {
		b.err = b.c.wordLimit(len(b.out))
	}
}

func (b *builder) reset() {
	b.buf, b.pat = b.buf[:0], b.pat[:0]
	b.keeps, b.magic, b.open, b.extended = false, false, false, false
}

// grow checks the size of what is built.
func (b *builder) grow(n int) {
	if len(b.buf)+n > b.c.limits().Variable && b.err == nil {
		b.err = b.c.tooLong()
	}
}

// quoted adds text in which nothing is special.
func (b *builder) quoted(s string) {
	if s == "" {
		return
	}
	b.open = true
	if b.grow(len(s)); b.err != nil {
		return
	}
	switch b.mode {
	case fields, text:
		b.buf = append(b.buf, s...)
		if b.keeps {
			b.pat = appendEscaped(b.pat, s)
		}
	case pattern:
		b.buf = appendEscaped(b.buf, s)
	case expression:
		b.buf = appendRegexpQuoted(b.buf, s)
	case replacement:
		for i := range len(s) {
			if s[i] == '&' || s[i] == '\\' {
				b.buf = append(b.buf, '\\')
			}
			b.buf = append(b.buf, s[i])
		}
	}
}

// escaped adds a character after a backslash.
func (b *builder) escaped(s string) {
	if b.mode == expression && isWordByte(s[0]) {
		// The backslash stays: \w and the like belong to the expression.
		b.buf = append(append(b.buf, '\\'), s...)
		return
	}
	b.quoted(s)
}

// plain adds a literal outside of quotes, without backslashes.
func (b *builder) plain(s string) {
	switch {
	case s == "":
	case b.mode == fields && b.split:
		b.splitted(s)
	default:
		b.active(s)
	}
}

// add adds the result of an expansion.
func (b *builder) add(s string, quoted bool) {
	switch {
	case quoted:
		b.quoted(s)
	case b.mode == fields:
		b.splitted(s)
	default:
		b.active(s)
	}
}

func (b *builder) number(n int64, quoted bool) {
	var digits [20]byte
	b.add(string(strconv.AppendInt(digits[:0], n, 10)), quoted)
}

// active adds text that is not split and in which the characters of patterns count.
func (b *builder) active(s string) {
	if s == "" {
		return
	}
	b.open = true
	if b.grow(len(s)); b.err != nil {
		return
	}
	if b.mode == fields {
		b.mark(s)
	}
	b.buf = append(b.buf, s...)
}

// mark keeps the pattern of the field from the first character of one on.
func (b *builder) mark(s string) {
	if !b.keeps || !b.magic {
		if strings.ContainsAny(s, `*?[\`) {
			if !b.keeps {
				b.pat = appendEscaped(b.pat[:0], string(b.buf))
				b.keeps = true
			}
			b.magic = b.magic || strings.ContainsAny(s, "*?[")
		}
	}
	if b.c.ExtGlob && !b.magic && strings.Contains(s, "(") {
		if !b.keeps {
			b.pat = appendEscaped(b.pat[:0], string(b.buf))
			b.keeps = true
		}
		b.magic = true
	}
	if b.keeps {
		b.pat = append(b.pat, s...)
	}
}

// special says whether a value would be split or is a pattern.
func (b *builder) special(s string) bool {
	sep := b.separators()
	for i := range len(s) {
		switch ch := s[i]; {
		case sep.class[ch] != 0, ch == '*', ch == '?', ch == '[', ch == '\\', ch == '(', ch >= utf8.RuneSelf && sep.wide != "":
			return true
		}
	}
	return false
}

// splitted adds the result of an unquoted expansion: it is split by IFS.
func (b *builder) splitted(s string) {
	sep := b.separators()
	from := 0
	for i := 0; i < len(s); {
		class, size := sep.class[s[i]], 1
		if s[i] >= utf8.RuneSelf {
			var r rune
			r, size = utf8.DecodeRuneInString(s[i:])
			if sep.wide != "" && strings.ContainsRune(sep.wide, r) {
				class = separator
			}
		}
		if class == 0 {
			i += size
			continue
		}
		b.active(s[from:i])
		if b.err != nil {
			return
		}
		b.separate(class)
		i += size
		from = i
	}
	b.active(s[from:])
}
