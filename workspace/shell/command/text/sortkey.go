package text

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

// sortKey is a part of the line and how it compares.
type sortKey struct {
	whole             bool // the whole line
	fromField, fromCh int  // from 0
	toField, toCh     int  // field -1: to the end of the line; character 0: the end of the field
	skipFrom, skipTo  bool // blanks before the position do not count
	order             byte // one of gnhMRV, or 0
	fold, dict, print bool
	reverse           bool
	flagged           bool
}

// sortLine is a line with its first key.
type sortLine struct {
	text []byte
	key  []byte // filtered when keys compare by their bytes
}

func newSorter(o *command.Options) (*sorter, error) {
	s := &sorter{stable: o.Has("s"), unique: o.Has("u"), end: terminator(o), sep: -1}
	global := sortKey{whole: true}
	for _, seen := range o.Seen() {
		switch seen.Name {
		case "b", "d", "f", "g", "h", "i", "M", "n", "R", "r", "V":
			if err := global.flag(seen.Name[0]); err != nil {
				return nil, err
			}
		case "sort":
			order := map[string]byte{"general-numeric": 'g', "human-numeric": 'h', "month": 'M', "numeric": 'n', "random": 'R', "version": 'V'}[seen.Value]
			if order == 0 {
				return nil, fmt.Errorf("invalid argument '%s' for '--sort'", seen.Value)
			}
			if err := global.flag(order); err != nil {
				return nil, err
			}
		case "t":
			sep := seen.Value
			switch {
			case sep == `\0`:
				sep = "\x00"
			case sep == "":
				return nil, errors.New("empty tab")
			case len(sep) > 1:
				return nil, fmt.Errorf("multi-character tab '%s'", sep)
			}
			if s.sep >= 0 && s.sep != int(sep[0]) {
				return nil, errors.New("incompatible tabs")
			}
			s.sep = int(sep[0])
		case "k":
			key, err := parseKey(seen.Value)
			if err != nil {
				return nil, err
			}
			s.keys = append(s.keys, key)
		case "check":
			if seen.Joined && !strings.Contains(" quiet silent diagnose-first ", " "+seen.Value+" ") {
				return nil, fmt.Errorf("invalid argument '%s' for '--check'", seen.Value)
			}
		}
	}
	s.reverse = global.reverse
	for i := range s.keys {
		if k := &s.keys[i]; !k.flagged {
			k.order, k.fold, k.dict, k.print, k.reverse = global.order, global.fold, global.dict, global.print, global.reverse
			k.skipFrom, k.skipTo = global.skipFrom, global.skipTo
		}
	}
	if len(s.keys) == 0 {
		global.toField = -1
		s.keys = []sortKey{global}
	}
	for _, k := range s.keys {
		if err := k.compatible(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// flag takes a letter for how to compare.
func (k *sortKey) flag(letter byte) error {
	switch letter {
	case 'b':
		k.skipFrom, k.skipTo = true, true
	case 'd':
		k.dict = true
	case 'f':
		k.fold = true
	case 'i':
		k.print = true
	case 'r':
		k.reverse = true
	default:
		if k.order != 0 && k.order != letter {
			return fmt.Errorf("options '-%s' are incompatible", sortedPair(k.order, letter))
		}
		k.order = letter
	}
	return nil
}

func sortedPair(a, b byte) string { return string([]byte{min(a, b), max(a, b)}) }

func (k *sortKey) compatible() error {
	if k.order != 0 && k.order != 'R' && k.order != 'V' && (k.dict || k.print) {
		letter := byte('d')
		if !k.dict {
			letter = 'i'
		}
		return fmt.Errorf("options '-%s' are incompatible", sortedPair(letter, k.order))
	}
	return nil
}

// parseKey reads FROM[,TO].
func parseKey(s string) (sortKey, error) {
	k := sortKey{toField: -1}
	bad := func(what string) (sortKey, error) {
		return k, fmt.Errorf("%s: invalid field specification '%s'", what, s)
	}
	from, to, hasTo := strings.Cut(s, ",")
	field, ch, hasCh, flags, ok := parsePosition(from)
	switch {
	case !ok:
		return k, fmt.Errorf("invalid number at field start: invalid count at start of '%s'", from)
	case field == 0:
		return bad("field number is zero")
	case hasCh && ch == 0:
		return bad("character offset is zero")
	}
	k.fromField, k.fromCh = field-1, max(ch-1, 0)
	for _, letter := range []byte(flags) {
		if err := k.keyFlag(letter, &k.skipFrom); err != nil {
			return bad(err.Error())
		}
	}
	if !hasTo {
		return k, nil
	}
	field, ch, _, flags, ok = parsePosition(to)
	switch {
	case !ok:
		return k, fmt.Errorf("invalid number after ',': invalid count at start of '%s'", to)
	case field == 0:
		return bad("field number is zero")
	}
	k.toField, k.toCh = field-1, ch
	for _, letter := range []byte(flags) {
		if err := k.keyFlag(letter, &k.skipTo); err != nil {
			return bad(err.Error())
		}
	}
	return k, nil
}

func (k *sortKey) keyFlag(letter byte, skip *bool) error {
	k.flagged = true
	if letter == 'b' {
		*skip = true
		return nil
	}
	if !strings.ContainsRune("dfgiMnRrVh", rune(letter)) {
		return errors.New("stray character in field spec")
	}
	return k.flag(letter)
}

func parsePosition(s string) (field, ch int, hasCh bool, flags string, ok bool) {
	flags = strings.TrimLeft(s, "0123456789")
	field, ok = atoi(s[:len(s)-len(flags)])
	if rest, dot := strings.CutPrefix(flags, "."); dot && ok {
		flags = strings.TrimLeft(rest, "0123456789")
		ch, ok = atoi(rest[:len(rest)-len(flags)])
		hasCh = true
	}
	return field, ch, hasCh, flags, ok
}

func atoi(digits string) (int, bool) {
	if digits == "" {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		n = math.MaxInt32
	}
	return min(n, math.MaxInt32), true
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' }

// of gives the part of a line that is the key.
func (k *sortKey) of(line []byte, sep int) []byte {
	if k.whole {
		if k.skipFrom {
			line = bytes.TrimLeft(line, " \t\n")
		}
		return line
	}
	from := fieldStart(line, sep, k.fromField)
	if k.skipFrom {
		from += skipBlanks(line[from:])
	}
	from = min(from+k.fromCh, len(line))
	to := len(line)
	switch {
	case k.toField >= 0 && k.toCh == 0:
		to = fieldEnd(line, sep, k.toField)
	case k.toField >= 0:
		to = fieldStart(line, sep, k.toField)
		if k.skipTo {
			to += skipBlanks(line[to:])
		}
		to = min(to+k.toCh, len(line))
	}
	return line[from:max(from, to)]
}

func skipBlanks(b []byte) int {
	i := 0
	for i < len(b) && isBlank(b[i]) {
		i++
	}
	return i
}

// fieldStart gives where the n-th field begins. Without a separator the blanks before a
// field belong to it.
func fieldStart(line []byte, sep, n int) int {
	at := 0
	for ; n > 0 && at < len(line); n-- {
		if sep < 0 {
			at = blankField(line, at)
			continue
		}
		i := bytes.IndexByte(line[at:], byte(sep))
		if i < 0 {
			return len(line)
		}
		at += i + 1
	}
	return at
}

func fieldEnd(line []byte, sep, n int) int {
	if sep < 0 {
		return blankField(line, fieldStart(line, sep, n))
	}
	at := fieldStart(line, sep, n)
	if i := bytes.IndexByte(line[at:], byte(sep)); i >= 0 {
		return at + i
	}
	return len(line)
}

func blankField(line []byte, at int) int {
	for at < len(line) && isBlank(line[at]) {
		at++
	}
	for at < len(line) && !isBlank(line[at]) {
		at++
	}
	return at
}

// line takes the first key out of a line.
func (s *sorter) line(text []byte) sortLine {
	k := &s.keys[0]
	l := sortLine{text: text, key: k.of(text, s.sep)}
	if k.order == 0 {
		l.key = k.filter(l.key)
	}
	return l
}
