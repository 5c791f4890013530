package expand

import (
	"context"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// hasBrace says whether braces may be expanded in a word.
func hasBrace(w *syntax.Word) bool {
	for _, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok && strings.IndexByte(lit.Value, '{') >= 0 {
			return true
		}
	}
	return false
}

// piece is a byte of a literal, or a part that braces look at as a whole. A byte after a
// backslash counts as such a part, together with it.
type piece struct {
	ch   byte // 0: part or text counts
	part syntax.WordPart
	text string
}

// braces gives the words that a word with braces stands for.
func (c *Config) braces(ctx context.Context, w *syntax.Word) ([]*syntax.Word, error) {
	var pieces []piece
	for _, part := range w.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			pieces = append(pieces, piece{part: part})
			continue
		}
		for i := 0; i < len(lit.Value); i++ {
			if lit.Value[i] == '\\' && i+1 < len(lit.Value) {
				pieces = append(pieces, piece{text: lit.Value[i : i+2]})
				i++
				continue
			}
			pieces = append(pieces, piece{ch: lit.Value[i]})
		}
	}
	e := bracer{ctx: ctx, most: c.limits().Braces}
	lists, err := e.expand(pieces)
	if err != nil {
		return nil, err
	}
	words := make([]*syntax.Word, 0, len(lists))
	for _, list := range lists {
		if len(list) > 0 {
			words = append(words, wordOf(list))
		}
	}
	return words, nil
}

// wordOf makes a word of pieces.
func wordOf(pieces []piece) *syntax.Word {
	w := &syntax.Word{}
	var lit strings.Builder
	flush := func() {
		if lit.Len() > 0 {
			w.Parts = append(w.Parts, &syntax.Lit{Value: lit.String()})
			lit.Reset()
		}
	}
	for _, p := range pieces {
		switch {
		case p.part != nil:
			flush()
			w.Parts = append(w.Parts, p.part)
		case p.ch != 0:
			if lit.Len() == 0 && isWordByte(p.ch) && lengthen(w.Parts, p.ch) {
				continue
			}
			lit.WriteByte(p.ch)
		default:
			lit.WriteString(p.text)
		}
	}
	flush()
	return w
}

// lengthen puts a character behind the name of the last part: $v{1,2} is $v1 $v2.
func lengthen(parts []syntax.WordPart, ch byte) bool {
	if len(parts) == 0 {
		return false
	}
	pe, ok := parts[len(parts)-1].(*syntax.ParamExp)
	if !ok || !pe.Short || pe.Param == nil || !syntax.ValidName(pe.Param.Value) {
		return false
	}
	longer := *pe
	longer.Param = &syntax.Lit{Value: pe.Param.Value + string(rune(ch))}
	parts[len(parts)-1] = &longer
	return true
}

// bracer expands the braces of one word.
type bracer struct {
	ctx  context.Context
	most int // words
	size int // pieces made
}

// count bounds the words and what they are made of.
func (e *bracer) count(words, pieces int) error {
	if e.size += pieces; words > e.most || e.size > 64*e.most {
		return &Error{Text: "brace expansion: more than " + itoa(e.most) + " words", Code: 1}
	}
	return over(e.ctx)
}

// expand gives the lists of pieces that a list stands for.
func (e *bracer) expand(s []piece) ([][]piece, error) {
	open, end := findBrace(s)
	if open < 0 {
		return [][]piece{s}, nil
	}
	before, inside, behind := s[:open], s[open+1:end], s[end+1:]
	var middle [][]piece
	if parts := commas(inside); len(parts) > 1 {
		for _, part := range parts {
			lists, err := e.expand(part)
			if err != nil {
				return nil, err
			}
			middle = append(middle, lists...)
			if err := e.count(len(middle), len(part)); err != nil {
				return nil, err
			}
		}
	} else {
		var err error
		if middle, err = e.sequence(inside); err != nil {
			return nil, err
		}
		if middle == nil {
			// No sequence: the braces stand for themselves.
			middle = [][]piece{s[open : end+1]}
		}
	}
	tails, err := e.expand(behind)
	if err != nil {
		return nil, err
	}
	if len(middle) > e.most/max(len(tails), 1) {
		return nil, e.count(e.most+1, 0)
	}
	out := make([][]piece, 0, len(middle)*len(tails))
	for _, m := range middle {
		for _, tail := range tails {
			list := make([]piece, 0, len(before)+len(m)+len(tail))
			out = append(out, append(append(append(list, before...), m...), tail...))
			if err := e.count(len(out), cap(list)); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// findBrace gives the first brace that has its other end, and that; -1 for none. An end
// only counts after a comma or two dots between them.
func findBrace(s []piece) (open, end int) {
	for i := range s {
		if s[i].ch != '{' || i == 0 && len(s) > 1 && s[1].ch == '}' {
			continue // {} at the beginning stands for itself.
		}
		level, parted := 0, false
		for j := i + 1; j < len(s); j++ {
			switch s[j].ch {
			case '{':
				level++
			case '}':
				switch {
				case level > 0:
					level--
				case parted:
					return i, j
				}
			case ',':
				parted = parted || level == 0
			case '.':
				if level == 0 && j+2 < len(s) && s[j+1].ch == '.' && s[j+2].ch != '}' {
					parted = true
				}
			}
		}
	}
	return -1, -1
}

// commas splits at the commas that stand in no inner braces.
func commas(s []piece) [][]piece {
	var out [][]piece
	level, from := 0, 0
	for i := range s {
		switch s[i].ch {
		case '{':
			level++
		case '}':
			level = max(level-1, 0)
		case ',':
			if level == 0 {
				out = append(out, s[from:i])
				from = i + 1
			}
		}
	}
	return append(out, s[from:])
}

// sequence gives from..to and from..to..step, nil when it is none.
func (e *bracer) sequence(s []piece) ([][]piece, error) {
	var b strings.Builder
	for _, p := range s {
		if p.ch == 0 {
			return nil, nil
		}
		b.WriteByte(p.ch)
	}
	ends := strings.Split(b.String(), "..")
	if len(ends) < 2 || len(ends) > 3 {
		return nil, nil
	}
	step := int64(1)
	if len(ends) == 3 {
		var err error
		if step, err = strconv.ParseInt(ends[2], 10, 64); err != nil {
			return nil, nil
		}
	}
	from, to, letters, ok := sequenceEnds(ends[0], ends[1])
	if !ok {
		return nil, nil
	}
	if step == 0 {
		step = 1
	}
	if (from > to) != (step < 0) {
		step = -step
	}
	width := 0
	if !letters && (padded(ends[0]) || padded(ends[1])) {
		width = max(len(ends[0]), len(ends[1]))
	}
	var out [][]piece
	for n := from; step > 0 && n <= to || step < 0 && n >= to; n += step {
		text := string(rune(n))
		if !letters {
			text = pad(n, width)
		}
		list := make([]piece, len(text))
		for i := range list {
			list[i].ch = text[i]
		}
		out = append(out, list)
		if err := e.count(len(out), len(list)); err != nil {
			return nil, err
		}
		if step > 0 && n > to-step || step < 0 && n < to-step {
			break // The next one would be over, perhaps beyond 64 bits.
		}
	}
	return out, nil
}

// sequenceEnds reads the two ends: both numbers or both letters.
func sequenceEnds(a, b string) (from, to int64, letters, ok bool) {
	if len(a) == 1 && len(b) == 1 && isLetter(a[0]) && isLetter(b[0]) {
		return int64(a[0]), int64(b[0]), true, true
	}
	from, err := strconv.ParseInt(a, 10, 64)
	if err != nil {
		return 0, 0, false, false
	}
	to, err = strconv.ParseInt(b, 10, 64)
	return from, to, false, err == nil
}

func isLetter(ch byte) bool { return ch|0x20 >= 'a' && ch|0x20 <= 'z' }

// padded says whether a number is written with zeros in front.
func padded(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return len(s) > 1 && s[0] == '0'
}

func pad(n int64, width int) string {
	s := strconv.FormatInt(n, 10)
	if len(s) >= width {
		return s
	}
	zeros := strings.Repeat("0", width-len(s))
	if n < 0 {
		return "-" + zeros + s[1:]
	}
	return zeros + s
}
