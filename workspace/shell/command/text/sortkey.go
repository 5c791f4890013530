package text

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
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

// sortLine is a line with its first key, in the form in which it compares fast.
type sortLine struct {
	text   []byte
	key    []byte  // of the first key
	head   uint64  // the first bytes of the key, when keys compare by their bytes
	number float64 // for n, g, h and M, when it is exact enough
	exact  bool
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

// line makes the form of a line in which it compares.
func (s *sorter) line(text []byte) sortLine {
	k := &s.keys[0]
	l := sortLine{text: text, key: k.of(text, s.sep)}
	switch k.order {
	case 0:
		l.key = k.filter(l.key)
		var head [8]byte
		copy(head[:], l.key)
		l.head = binary.BigEndian.Uint64(head[:])
	case 'n':
		l.number, l.exact = smallNumber(l.key)
	case 'g':
		l.number = generalNumber(l.key)
	case 'M':
		l.number = float64(month(l.key))
	}
	return l
}

// filter leaves out what -d and -i do not compare, and folds case.
func (k *sortKey) filter(b []byte) []byte {
	if !k.dict && !k.print && !k.fold {
		return b
	}
	out := make([]byte, 0, len(b))
	for _, c := range b {
		switch {
		case k.dict && !(isBlank(c) || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'):
		case k.print && (c < ' ' || c >= 0x7f):
		case k.fold:
			out = append(out, upper(c))
		default:
			out = append(out, c)
		}
	}
	return out
}

func (s *sorter) compare(a, b sortLine) int {
	order := s.compareFirst(&a, &b)
	if s.keys[0].reverse {
		order = -order
	}
	for i := 1; order == 0 && i < len(s.keys); i++ {
		k := &s.keys[i]
		order = s.compareKey(k, k.of(a.text, s.sep), k.of(b.text, s.sep))
		if k.reverse {
			order = -order
		}
	}
	if order != 0 || s.stable || s.unique {
		return order
	}
	if order = bytes.Compare(a.text, b.text); s.reverse {
		return -order
	}
	return order
}

func (s *sorter) compareFirst(a, b *sortLine) int {
	k := &s.keys[0]
	switch k.order {
	case 0:
		if a.head != b.head {
			if a.head < b.head {
				return -1
			}
			return 1
		}
		return bytes.Compare(a.key, b.key)
	case 'n':
		if !a.exact || !b.exact {
			return compareNumbers(a.key, b.key)
		}
		fallthrough
	case 'M':
		switch {
		case a.number < b.number:
			return -1
		case a.number > b.number:
			return 1
		}
		return 0
	case 'g':
		return compareGeneral(a.number, b.number)
	}
	return s.compareKey(k, a.key, b.key)
}

func (s *sorter) compareKey(k *sortKey, a, b []byte) int {
	switch k.order {
	case 'n':
		return compareNumbers(a, b)
	case 'g':
		return compareGeneral(generalNumber(a), generalNumber(b))
	case 'h':
		return compareHuman(a, b)
	case 'M':
		return month(a) - month(b)
	case 'V':
		return compareVersions(k.filter(a), k.filter(b))
	case 'R':
		a, b = k.filter(a), k.filter(b)
		if bytes.Equal(a, b) {
			return 0
		}
		if x, y := s.hash(a), s.hash(b); x != y {
			if x < y {
				return -1
			}
			return 1
		}
	}
	return bytes.Compare(k.filter(a), k.filter(b))
}

func (s *sorter) hash(b []byte) uint64 {
	h := fnv.New64a()
	h.Write(s.salt[:])
	h.Write(b)
	x := h.Sum64()
	x ^= x >> 31
	x *= 0x9e3779b97f4a7c15 // spreads short keys over all bits
	return x ^ x>>29
}
