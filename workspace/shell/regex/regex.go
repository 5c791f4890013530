// Package regex owns the regular expressions of the sandboxed shell: the POSIX basic and
// extended ones with the additions of GNU, fixed strings, and the common part of Perl's.
//
// What is regular is matched by an automaton in time linear in the text, whatever the
// expression: a DFA that is built while it runs finds where a match begins and ends, and
// only then, and only when asked, are the groups found. Back-references and Perl's
// look-around, atomic groups and \K need a matcher that goes back; its steps are counted
// and it ends with [ErrSteps]. Text is UTF-8; bytes that are not UTF-8 are matched by the
// same bytes in the expression and by nothing else, as GNU has it.
package regex

import (
	"bytes"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// Syntax is the language of an expression.
type Syntax int

// The languages.
const (
	Basic    Syntax = iota // of grep and sed
	Extended               // of grep -E, sed -E, awk and [[ =~ ]]
	Perl                   // of grep -P: leftmost-first instead of leftmost-longest
	Fixed                  // the text itself
)

// Escapes says which escapes beyond those of the language stand for characters.
type Escapes int

// The sets of escapes.
const (
	NoEscapes  Escapes = iota // \n is the letter n, as in grep
	SedEscapes                // \n \t \f \v \a \r \dNNN \oNNN \xHH \cX; in brackets \n \t and such, too
	AwkEscapes                // as C, also in brackets, where \ quotes
)

// Options say how an expression is read and matched. The zero value is a basic expression
// over one text in which "." matches every character.
type Options struct {
	Syntax   Syntax
	FoldCase bool
	Escapes  Escapes

	// Multiline lets ^ and $ match at the line breaks inside the text too.
	Multiline bool

	// Records says that the text holds records that each end with Terminator ("\n" or NUL):
	// ^ and $ match at their borders and nothing matches the terminator. For [Regexp.Record].
	Records    bool
	Terminator byte

	Anchored bool // the match begins where the text does, as in expr

	Word  bool // the match is not next to a word character, as grep -w
	Whole bool // the match is the whole text, line or record, as grep -x

	// Budget bounds the size of the program and the steps of the matcher that goes back;
	// nil takes the defaults.
	Budget *limits.Budget
}

// ErrSteps is the error of a match that went back too often.
var ErrSteps = errors.New("exceeded the limit of backtracking steps")

// SyntaxError is an expression that cannot be read; the text is GNU's.
type SyntaxError struct{ Text string }

func (e *SyntaxError) Error() string { return e.Text }

// Regexp is a compiled expression. It is safe for concurrent use.
type Regexp struct {
	o        Options
	root     *node
	prog     *prog
	groups   int
	names    map[string]int
	named    map[int]string
	warnings []string
	literal  []byte // the whole expression is this text
	prefix   []byte // every match begins with this text
	idle     atomic.Pointer[machine]
}

// Compile reads an expression.
func Compile(pattern string, o Options) (*Regexp, error) { return CompileAny([]string{pattern}, o) }

// CompileAny reads several expressions, of which any may match. Groups are numbered through;
// a back-reference counts within its own expression.
func CompileAny(patterns []string, o Options) (*Regexp, error) {
	bounds := limits.Limits{}
	if o.Budget != nil {
		bounds = o.Budget.Limits
	}
	bounds = bounds.OrDefault()
	re := &Regexp{o: o, names: map[string]int{}, named: map[int]string{}}
	alternatives := make([]*node, 0, len(patterns))
	for _, pattern := range patterns {
		p := &parser{src: pattern, o: &re.o, first: re.groups, groups: re.groups, names: re.names, named: re.named, maxDepth: bounds.Nesting}
		n, err := p.parse()
		if err != nil {
			return nil, err
		}
		re.groups = p.groups
		re.warnings = append(re.warnings, p.warnings...)
		alternatives = append(alternatives, n)
	}
	re.root = around(alternate(alternatives), &o)
	var err error
	if re.prog, err = compile(re.root, &re.o, bounds.Regex/instBytes, false); err != nil {
		return nil, err
	}
	re.prog.maxSteps = bounds.Backtracks
	re.prefix, _ = literalPrefix(re.root)
	if text, whole := wholeLiteral(re.root); whole && len(text) > 0 {
		re.literal = text
	}
	return re, nil
}

// around adds what Anchored, Word and Whole ask.
func around(n *node, o *Options) *node {
	switch {
	case o.Anchored:
		return cat(&node{op: opBeginText}, n)
	case o.Whole:
		return cat(&node{op: opBeginLine}, n, &node{op: opEndLine})
	case o.Word:
		return cat(&node{op: opNotWordBefore}, n, &node{op: opNotWordAfter})
	}
	return n
}

// Groups gives the number of capturing groups.
func (re *Regexp) Groups() int { return re.groups }

// Group gives the number of a named group, 0 when there is none.
func (re *Regexp) Group(name string) int { return re.names[name] }

// Name gives the name of a group, "" when it has none.
func (re *Regexp) Name(group int) string { return re.named[group] }

// Warnings gives what GNU's tools would warn of, such as "stray \ before d".
func (re *Regexp) Warnings() []string { return re.warnings }

// Match says whether the expression matches somewhere in b; a match that takes too many
// steps counts as none.
func (re *Regexp) Match(b []byte) bool {
	if re.literal != nil {
		return bytes.Contains(b, re.literal)
	}
	m := re.take()
	defer re.give(m)
	if re.prog.regular {
		_, ok := m.earliest(b, 0)
		return ok
	}
	loc, err := m.backtrack(b, 0, len(b))
	return loc != nil && err == nil
}

// Span gives where the first match at or after the offset at begins and ends. What stands
// before the offset counts for anchors and word borders.
func (re *Regexp) Span(b []byte, at int) (start, end int, ok bool, err error) {
	if re.literal != nil {
		i := bytes.Index(b[at:], re.literal)
		return at + i, at + i + len(re.literal), i >= 0, nil
	}
	m := re.take()
	defer re.give(m)
	if !re.prog.regular {
		loc, err := m.backtrack(b, at, len(b))
		if loc == nil {
			return 0, 0, false, err
		}
		return loc[0], loc[1], true, nil
	}
	start, end, ok = m.span(b, at)
	if ok && re.o.Syntax == Perl {
		loc := m.groups(b, start, -1)
		start, end = loc[0], loc[1]
	}
	return start, end, ok, nil
}

// Find gives the first match at or after the offset at: two offsets for the whole, then two
// for each group, -1 for a group that took no part. It is nil when there is no match.
func (re *Regexp) Find(b []byte, at int) (loc []int, err error) {
	m := re.take()
	defer re.give(m)
	if !re.prog.regular {
		return m.backtrack(b, at, len(b))
	}
	start, end, ok := m.span(b, at)
	if !ok {
		return nil, nil
	}
	switch {
	case re.o.Syntax == Perl:
		return m.groups(b, start, -1), nil
	case re.groups > 0:
		return m.groups(b, start, end), nil
	}
	return []int{start, end}, nil
}

// Record gives the bounds, without the terminator, of the first record with a match among
// those of b from the offset at, which is where one begins. The last record needs no
// terminator. It is for expressions compiled with Records.
func (re *Regexp) Record(b []byte, at int) (start, end int, ok bool, err error) {
	if at >= len(b) {
		return 0, 0, false, nil
	}
	if !re.prog.regular {
		return re.eachRecord(b, at)
	}
	var hit int
	if re.literal != nil {
		hit = bytes.Index(b[at:], re.literal) + at
		ok = hit >= at
	} else {
		m := re.take()
		hit, ok = m.earliest(b, at)
		re.give(m)
	}
	if !ok || hit == len(b) && b[hit-1] == re.o.Terminator && hit > at {
		return 0, 0, false, nil // the end of the last record begins no other
	}
	start, end = re.border(b, at, hit)
	return start, end, true, nil
}

// border gives the record of b[at:] that holds the offset hit.
func (re *Regexp) border(b []byte, at, hit int) (start, end int) {
	start = at + bytes.LastIndexByte(b[at:hit], re.o.Terminator) + 1
	end = len(b)
	if i := bytes.IndexByte(b[hit:], re.o.Terminator); i >= 0 {
		end = hit + i
	}
	return start, end
}

// eachRecord tries the records one after the other.
func (re *Regexp) eachRecord(b []byte, at int) (start, end int, ok bool, err error) {
	m := re.take()
	defer re.give(m)
	for at < len(b) {
		start, end = re.border(b, at, at)
		loc, err := m.backtrack(b[start:end], 0, end-start)
		if err != nil || loc != nil {
			return start, end, loc != nil, err
		}
		at = end + 1
	}
	return 0, 0, false, nil
}

// take gives a machine that nobody else uses; give puts it back for the next call.
func (re *Regexp) take() *machine {
	if m := re.idle.Swap(nil); m != nil {
		return m
	}
	return newMachine(re)
}

func (re *Regexp) give(m *machine) { re.idle.Store(m) }

func syntaxError(format string, args ...any) error {
	return &SyntaxError{fmt.Sprintf(format, args...)}
}
