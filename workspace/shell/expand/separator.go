package expand

import (
	"sync"
	"unicode/utf8"
)

// separate takes one character of IFS.
func (b *builder) separate(class byte) {
	if class == blank {
		if b.open {
			b.flush()
			b.ended = byBlank
		} else if b.lists && b.ended == begun {
			b.ended = byBlank
		}
		return
	}
	if b.open || b.ended != byBlank {
		b.flush()
	}
	b.ended = bySeparator
}

// next stands between two elements of a list that is not quoted.
func (b *builder) next() {
	sep := b.separators()
	if sep.first == separator {
		b.separate(separator)
		return
	}
	b.separate(blank)
}

// cut stands between two elements of a quoted list.
func (b *builder) cut() {
	b.flush()
	b.ended = begun
}

// separators is IFS, sorted into classes.
type separators struct {
	class [256]byte // of a byte
	wide  string    // the separators beyond ASCII
	first byte      // class of the first character; 0 when IFS is empty
	join  string    // between the elements of "$*"
}

const (
	blank     = 1 // white space
	separator = 2
)

var defaultSeparators = sync.OnceValue(func() *separators {
	return &separators{class: [256]byte{' ': blank, '\t': blank, '\n': blank}, first: blank, join: " "}
})

func (b *builder) separators() *separators {
	if b.ifs == nil {
		b.ifs = b.c.separators()
	}
	return b.ifs
}

func (c *Config) separators() *separators {
	v := c.Shell.Get("IFS")
	if !v.Set() {
		return defaultSeparators()
	}
	ifs := v.String()
	if ifs == " \t\n" {
		return defaultSeparators()
	}
	s := &separators{}
	for i, r := range ifs {
		class := byte(separator)
		if r == ' ' || r == '\t' || r == '\n' {
			class = blank
		}
		if r < utf8.RuneSelf {
			s.class[r] = class
		} else {
			s.wide += string(r)
		}
		if i == 0 {
			s.first, s.join = class, string(r)
		}
	}
	return s
}
