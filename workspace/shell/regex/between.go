package regex

import "unicode/utf8"

// kinds says what a neighbour of a place between characters is.
type kinds uint8

const (
	isEdge      kinds = 1 << iota // the beginning or the end of the text
	isBreak                       // a line break, or the terminator of a record
	isWord                        // a word character
	isLastBreak                   // the line break that ends the text
)

// needs gives what an assertion asks of the neighbours.
func needs(o op, opts *Options) kinds {
	switch o {
	case opBeginLine, opEndLine:
		if opts.Multiline || opts.Records {
			return isEdge | isBreak
		}
		return isEdge
	case opBeginText, opEndText:
		return isEdge
	case opEndTextLine:
		return isEdge | isLastBreak
	}
	return isWord
}

// holds says whether an assertion holds between two neighbours.
func (p *prog) holds(o op, before, after kinds) bool {
	switch o {
	case opBeginLine:
		return before&isEdge != 0 || before&isBreak != 0 && (p.o.Multiline || p.o.Records)
	case opEndLine:
		return after&isEdge != 0 || after&isBreak != 0 && (p.o.Multiline || p.o.Records)
	case opBeginText:
		return before&isEdge != 0
	case opEndText:
		return after&isEdge != 0
	case opEndTextLine:
		return after&(isEdge|isLastBreak) != 0
	case opWordBorder:
		return (before^after)&isWord != 0
	case opNotWordBorder:
		return (before^after)&isWord == 0
	case opWordStart:
		return before&isWord == 0 && after&isWord != 0
	case opWordEnd:
		return before&isWord != 0 && after&isWord == 0
	case opNotWordBefore:
		return before&isWord == 0
	case opNotWordAfter:
		return after&isWord == 0
	}
	return false
}

// kindOf tells a character.
func (p *prog) kindOf(r rune) kinds {
	var k kinds
	if r == p.breaks() {
		k |= isBreak
	}
	if p.isWord(r) {
		k |= isWord
	}
	return k
}

// breaks gives the character at whose sides lines begin and end.
func (p *prog) breaks() rune {
	if p.o.Records {
		return rune(p.o.Terminator)
	}
	return '\n'
}

func (p *prog) isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z'
	}
	return p.o.Syntax != Perl && wordSet().has(r)
}

// before gives the kind of what stands before an offset, after of what stands behind.
func (p *prog) before(b []byte, at int) kinds {
	if at == 0 {
		return isEdge
	}
	r, n := utf8.DecodeLastRune(b[:at])
	if r == utf8.RuneError && n == 1 {
		return 0
	}
	return p.kindOf(r)
}

func (p *prog) after(b []byte, at int) kinds {
	if at == len(b) {
		return isEdge
	}
	r, n := utf8.DecodeRune(b[at:])
	if r == utf8.RuneError && n == 1 {
		return 0
	}
	k := p.kindOf(r)
	if r == '\n' && at+1 == len(b) {
		k |= isLastBreak
	}
	return k
}
