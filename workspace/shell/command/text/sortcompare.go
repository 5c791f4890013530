package text

import (
	"bytes"
	"hash/fnv"
)

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

func (s *sorter) compare(a, b *sortLine) int {
	if order := s.compareFirst(a, b); order != 0 {
		if s.keys[0].reverse {
			return -order
		}
		return order
	}
	return s.compareRest(a, b)
}

func (s *sorter) compareFirst(a, b *sortLine) int {
	if k := &s.keys[0]; k.order != 0 {
		return s.compareKey(k, a.key, b.key)
	}
	return bytes.Compare(a.key, b.key)
}

// compareRest compares lines whose first keys are equal.
func (s *sorter) compareRest(a, b *sortLine) int {
	for i := 1; i < len(s.keys); i++ {
		k := &s.keys[i]
		if order := s.compareKey(k, k.of(a.text, s.sep), k.of(b.text, s.sep)); order != 0 {
			if k.reverse {
				return -order
			}
			return order
		}
	}
	if s.stable || s.unique {
		return 0
	}
	order := bytes.Compare(a.text, b.text)
	if s.reverse {
		return -order
	}
	return order
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
