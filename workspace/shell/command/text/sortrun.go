package text

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// ranked is a line as it is moved about while sorting: its place, and the first key as a
// number that orders most lines without a look at them.
type ranked struct {
	head uint64
	at   int32
}

// ordered gives the lines in order, with -u one of each kind.
func (s *sorter) ordered(lines []sortLine) []sortLine {
	ranks, final := s.rank(lines)
	reverse := s.keys[0].reverse
	compare := func(a, b ranked) int {
		if a.head != b.head {
			if (a.head < b.head) != reverse {
				return -1
			}
			return 1
		}
		if !final {
			if order := s.compareFirst(&lines[a.at], &lines[b.at]); order != 0 {
				if reverse {
					return -order
				}
				return order
			}
		}
		return s.compareRest(&lines[a.at], &lines[b.at])
	}
	if s.stable || s.unique {
		place := compare
		slices.SortFunc(ranks, func(a, b ranked) int { return cmp.Or(place(a, b), cmp.Compare(a.at, b.at)) })
	} else {
		slices.SortFunc(ranks, compare)
	}
	if s.unique {
		ranks = slices.CompactFunc(ranks, func(a, b ranked) bool { return compare(a, b) == 0 })
	}
	sorted := make([]sortLine, len(ranks))
	for i, r := range ranks {
		sorted[i] = lines[r.at]
	}
	return sorted
}

// rank gives each line its head. final says that equal heads are equal first keys.
func (s *sorter) rank(lines []sortLine) (ranks []ranked, final bool) {
	ranks = make([]ranked, len(lines))
	for i := range ranks {
		ranks[i].at = int32(i)
	}
	order := s.keys[0].order
	if order == 0 {
		skip := commonPrefix(lines)
		for i := range lines {
			var head [8]byte
			copy(head[:], lines[i].key[skip:])
			ranks[i].head = binary.BigEndian.Uint64(head[:])
		}
		return ranks, false
	}
	for i := range lines {
		var f float64
		ok := true
		switch order {
		case 'n':
			f, ok = smallNumber(lines[i].key)
		case 'M':
			f = float64(month(lines[i].key))
		default:
			ok = false
		}
		if !ok { // one that has no head leaves none to the others
			for i := range ranks {
				ranks[i].head = 0
			}
			return ranks, false
		}
		ranks[i].head = sortable(f)
	}
	return ranks, true
}

// commonPrefix gives the length of what all keys begin with.
func commonPrefix(lines []sortLine) int {
	if len(lines) == 0 {
		return 0
	}
	prefix := lines[0].key
	for i := range lines {
		key := lines[i].key
		n := 0
		for n < len(prefix) && n < len(key) && key[n] == prefix[n] {
			n++
		}
		if prefix = prefix[:n]; n == 0 {
			break
		}
	}
	return len(prefix)
}

// sortable gives a number whose order as unsigned is that of the floats.
func sortable(f float64) uint64 {
	if f == 0 {
		return 1 << 63 // whatever its sign
	}
	u := math.Float64bits(f)
	if u>>63 != 0 {
		return ^u
	}
	return u | 1<<63
}
