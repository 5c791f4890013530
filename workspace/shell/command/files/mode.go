package files

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"
)

const (
	setUID = 0o4000
	setGID = 0o2000
	sticky = 0o1000
)

// permBits gives the twelve mode bits as the system numbers them.
func permBits(m fs.FileMode) uint32 {
	bits := uint32(m.Perm())
	if m&fs.ModeSetuid != 0 {
		bits |= setUID
	}
	if m&fs.ModeSetgid != 0 {
		bits |= setGID
	}
	if m&fs.ModeSticky != 0 {
		bits |= sticky
	}
	return bits
}

// fileMode is the inverse of permBits.
func fileMode(bits uint32) fs.FileMode {
	m := fs.FileMode(bits & 0o777)
	if bits&setUID != 0 {
		m |= fs.ModeSetuid
	}
	if bits&setGID != 0 {
		m |= fs.ModeSetgid
	}
	if bits&sticky != 0 {
		m |= fs.ModeSticky
	}
	return m
}

// rawMode gives the whole mode as the system numbers it, kind included.
func rawMode(m fs.FileMode) uint32 {
	kinds := map[byte]uint32{'-': 0o100000, 'd': 0o040000, 'l': 0o120000, 'c': 0o020000, 'b': 0o060000, 'p': 0o010000, 's': 0o140000}
	return kinds[kindLetter(m)] | permBits(m)
}

// kindLetter gives the first letter of a mode in ls -l.
func kindLetter(m fs.FileMode) byte {
	switch {
	case m.IsDir():
		return 'd'
	case m&fs.ModeSymlink != 0:
		return 'l'
	case m&fs.ModeCharDevice != 0:
		return 'c'
	case m&fs.ModeDevice != 0:
		return 'b'
	case m&fs.ModeNamedPipe != 0:
		return 'p'
	case m&fs.ModeSocket != 0:
		return 's'
	}
	return '-'
}

// modeString gives a mode as ls -l shows it.
func modeString(m fs.FileMode) string {
	bits := permBits(m)
	b := []byte{kindLetter(m)}
	for shift := 6; shift >= 0; shift -= 3 {
		for i, letter := range []byte("rwx") {
			if bits>>shift&(4>>i) == 0 {
				letter = '-'
			}
			b = append(b, letter)
		}
	}
	special := func(at int, bit uint32, with, without byte) {
		if bits&bit == 0 {
			return
		}
		if b[at] == 'x' {
			b[at] = with
		} else {
			b[at] = without
		}
	}
	special(3, setUID, 's', 'S')
	special(6, setGID, 's', 'S')
	special(9, sticky, 't', 'T')
	return string(b)
}

// change is what a mode argument such as 644 or u+x,go= does to mode bits.
type change func(old uint32, dir bool) uint32

// parseChange reads a mode argument; umask is for clauses that name nobody.
func parseChange(arg string, umask fs.FileMode) (change, error) {
	if arg == "" {
		return nil, errMode
	}
	if bits, err := strconv.ParseUint(arg, 8, 32); err == nil {
		if bits > 0o7777 {
			return nil, errMode
		}
		keep := uint32(0)
		if len(arg) < 5 {
			keep = setUID | setGID // of a directory; five digits clear them
		}
		return func(old uint32, dir bool) uint32 {
			if dir {
				return uint32(bits) | old&keep
			}
			return uint32(bits)
		}, nil
	}
	var all []clause
	for part := range strings.SplitSeq(arg, ",") {
		clauses, err := parseClauses(part)
		if err != nil {
			return nil, err
		}
		all = append(all, clauses...)
	}
	return func(old uint32, dir bool) uint32 {
		for _, c := range all {
			old = c.apply(old, dir, uint32(umask))
		}
		return old
	}, nil
}

var errMode = errors.New("invalid mode")

// clause is one operation of a symbolic mode.
type clause struct {
	who      uint32 // the bits that it is about; 0: all, less the umask
	op       byte
	bits     uint32
	execute  bool // X
	copyFrom byte // u, g or o
}

func parseClauses(s string) ([]clause, error) {
	var who uint32
	i := 0
	for ; i < len(s); i++ {
		bits, ok := map[byte]uint32{'u': setUID | 0o700, 'g': setGID | 0o070, 'o': sticky | 0o007, 'a': 0o7777}[s[i]]
		if !ok {
			break
		}
		who |= bits
	}
	var all []clause
	for i < len(s) {
		c := clause{who: who, op: s[i]}
		if !strings.ContainsRune("+-=", rune(c.op)) {
			return nil, errMode
		}
		i++
		switch {
		case i < len(s) && strings.ContainsRune("ugo", rune(s[i])):
			c.copyFrom = s[i]
			i++
		case i < len(s) && isDigit(rune(s[i])):
			end := i
			for end < len(s) && isDigit(rune(s[end])) {
				end++
			}
			bits, err := strconv.ParseUint(s[i:end], 8, 32)
			if err != nil || bits > 0o7777 || who != 0 {
				return nil, errMode
			}
			c.who, c.bits, i = 0o7777, uint32(bits), end
		default:
			for ; i < len(s) && !strings.ContainsRune("+-=", rune(s[i])); i++ {
				bits, ok := map[byte]uint32{'r': 0o444, 'w': 0o222, 'x': 0o111, 's': setUID | setGID, 't': sticky, 'X': 0}[s[i]]
				if !ok {
					return nil, errMode
				}
				c.bits |= bits
				c.execute = c.execute || s[i] == 'X'
			}
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, errMode
	}
	return all, nil
}

func (c clause) apply(old uint32, dir bool, umask uint32) uint32 {
	bits := c.bits
	if c.copyFrom != 0 {
		shift := map[byte]int{'u': 6, 'g': 3, 'o': 0}[c.copyFrom]
		bits = old >> shift & 7 * 0o111
	}
	if c.execute && (dir || old&0o111 != 0) {
		bits |= 0o111
	}
	clear := c.who
	if c.who != 0 {
		bits &= c.who
	} else {
		bits &= 0o7777 &^ umask
		clear = 0o7777
	}
	if dir {
		clear &^= (setUID | setGID) &^ c.bits
	}
	switch c.op {
	case '+':
		return old | bits
	case '-':
		return old &^ bits
	}
	return old&^clear | bits
}
