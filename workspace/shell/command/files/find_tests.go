package files

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"
)

// simpleTest reads a test without an argument.
func (p *findParser) simpleTest(word string) (test, bool, error) {
	f := p.find
	permitted := func(bit uint32) test {
		return func(n *node) bool {
			info, err := f.stat(n.name)
			return err == nil && permBits(info.Mode())&bit != 0
		}
	}
	switch word {
	case "-empty":
		return func(n *node) bool {
			if n.info.IsDir() {
				entries, err := f.FS.ReadDir(f.Abs(n.name))
				return err == nil && len(entries) == 0
			}
			return n.info.Mode().IsRegular() && n.info.Size() == 0
		}, true, nil
	case "-readable":
		return permitted(0o400), true, nil
	case "-writable":
		return permitted(0o200), true, nil
	case "-executable":
		return permitted(0o100), true, nil
	case "-nouser", "-nogroup":
		return func(n *node) bool { return attrOf(n.info).uid != agentID }, true, nil
	}
	return nil, false, nil
}

// nameTest reads a test of the name.
func (p *findParser) nameTest(word, value string) (test, bool, error) {
	g := glob{pattern: value, fold: strings.HasPrefix(word, "-i")}
	switch word {
	case "-name", "-iname":
		return func(n *node) bool { return g.match(n.base()) }, true, nil
	case "-path", "-ipath", "-wholename", "-iwholename":
		return func(n *node) bool { return g.match(n.name) }, true, nil
	case "-lname", "-ilname":
		return func(n *node) bool {
			target, err := p.FS.Readlink(p.Abs(n.name))
			return err == nil && n.info.Mode()&fs.ModeSymlink != 0 && g.match(target)
		}, true, nil
	case "-regex", "-iregex":
		matches, err := compileName(value, p.regex, word == "-iregex", p.Budget)
		if err != nil {
			return nil, true, err
		}
		f := p.find
		return func(n *node) bool {
			ok, err := matches(n.name)
			if err != nil {
				f.failed("%s: %v", word, err)
				f.quit = true
			}
			return ok
		}, true, nil
	}
	return nil, false, nil
}

// number is the argument N, +N or -N.
type number struct {
	sign byte // 0, + or -
	n    float64
}

func parseNumber(s string) (number, error) {
	var n number
	digits := s
	if s != "" && (s[0] == '+' || s[0] == '-') {
		n.sign, digits = s[0], s[1:]
	}
	if digits == "" || strings.Trim(digits, "+-.0123456789") != "" {
		return n, errSize
	}
	var err error
	n.n, err = strconv.ParseFloat(digits, 64)
	return n, err
}

func (n number) test(of func(*node) float64) test {
	return func(f *node) bool {
		v := of(f)
		switch n.sign {
		case '+':
			return v > n.n
		case '-':
			return v < n.n
		}
		return v == n.n
	}
}

// numberTest reads a test with a number.
func (p *findParser) numberTest(word, value string) (test, bool, error) {
	fail := func() (test, bool, error) {
		return nil, true, fmt.Errorf("invalid argument `%s' to `%s'", value, word)
	}
	switch word {
	case "-size":
		unit := int64(512)
		if value != "" {
			if factor, ok := map[byte]int64{'c': 1, 'w': 2, 'b': 512, 'k': 1 << 10, 'M': 1 << 20, 'G': 1 << 30}[value[len(value)-1]]; ok {
				unit, value = factor, value[:len(value)-1]
			}
		}
		n, err := parseNumber(value)
		if err != nil {
			return fail()
		}
		return n.test(func(f *node) float64 { return float64(ceilDiv(f.info.Size(), unit)) }), true, nil
	case "-links", "-inum", "-uid", "-gid":
		n, err := parseNumber(value)
		if err != nil {
			return fail()
		}
		return n.test(func(f *node) float64 {
			a := attrOf(f.info)
			return float64(map[string]uint64{"-links": a.links, "-inum": a.ino, "-uid": uint64(a.uid), "-gid": uint64(a.gid)}[word])
		}), true, nil
	case "-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin":
		n, err := parseNumber(value)
		if err != nil {
			return fail()
		}
		return p.age(word[1], n, strings.HasSuffix(word, "time")), true, nil
	}
	return nil, false, nil
}

// age tests how long ago a time of the file is: in whole days rounded down, or in minutes
// rounded up.
func (p *findParser) age(which byte, n number, days bool) test {
	now := p.now
	return func(f *node) bool {
		age := now.Sub(timeOf(f.info, which))
		if days {
			switch v := float64(age) / float64(24*time.Hour); n.sign {
			case '+':
				return v >= n.n+1
			case '-':
				return v < n.n
			default:
				return n.n <= v && v < n.n+1
			}
		}
		switch v := float64(age) / float64(time.Minute); n.sign {
		case '+':
			return v > n.n
		case '-':
			return v < n.n
		default:
			return n.n-1 <= v && v < n.n
		}
	}
}

// fileTest reads the other tests with an argument.
func (p *findParser) fileTest(word, value string) (test, bool, error) {
	f := p.find
	switch word {
	case "-type", "-xtype":
		letters := strings.Split(value, ",")
		for _, l := range letters {
			if len(l) != 1 || !strings.Contains("bcdpflsD", l) {
				return nil, true, fmt.Errorf("unknown argument to %s: %s", word, value)
			}
		}
		return func(n *node) bool {
			info := n.info
			if word == "-xtype" {
				if i, err := f.look(n.name, f.walk.follow != followAll); err == nil {
					info = i
				}
			}
			letter := strings.Replace(string(kindLetter(info.Mode())), "-", "f", 1)
			return strings.Contains(value, letter)
		}, true, nil
	case "-perm":
		t, err := permTest(value)
		return t, true, err
	case "-samefile":
		info, err := f.look(value, f.walk.follow != followNone)
		if err != nil {
			return nil, true, fmt.Errorf("‘%s’: %s", value, text(err))
		}
		a := attrOf(info)
		return func(n *node) bool {
			b := attrOf(n.info)
			return a.ino == b.ino && a.dev == b.dev
		}, true, nil
	case "-newer", "-anewer", "-cnewer":
		which := map[string]byte{"-newer": 'm', "-anewer": 'a', "-cnewer": 'c'}[word]
		t, err := p.newer(which, 'm', value)
		return t, true, err
	case "-user", "-group":
		id, err := strconv.ParseUint(value, 10, 32)
		if value == agentName {
			id, err = agentID, nil
		}
		if err != nil {
			return nil, true, fmt.Errorf("‘%s’ is not the name of a known %s", value, word[1:])
		}
		return func(n *node) bool { return attrOf(n.info).uid == int(id) }, true, nil
	case "-fstype":
		return func(*node) bool { return value == fsType }, true, nil
	}
	if xy, ok := strings.CutPrefix(word, "-newer"); ok && len(xy) == 2 && strings.Contains("acm", xy[:1]) && strings.Contains("acmt", xy[1:]) {
		t, err := p.newer(xy[0], xy[1], value)
		return t, true, err
	}
	return nil, false, nil
}

// newer tests that one time of a file is after a time of a reference, or after a date.
func (p *findParser) newer(which, of byte, reference string) (test, error) {
	var than time.Time
	if of == 't' {
		t, err := parseWhen(reference, p.started.In(p.zone))
		if err != nil {
			return nil, fmt.Errorf("i cannot figure out how to interpret ‘%s’ as a date or time", reference)
		}
		than = t
	} else {
		info, err := p.look(reference, p.walk.follow != followNone)
		if err != nil {
			return nil, fmt.Errorf("‘%s’: %s", reference, text(err))
		}
		than = timeOf(info, of)
	}
	return func(n *node) bool { return timeOf(n.info, which).After(than) }, nil
}

// permTest reads the argument of -perm: exactly MODE, all bits of -MODE, any of /MODE.
func permTest(value string) (test, error) {
	kind, mode := byte('='), value
	if value != "" && (value[0] == '-' || value[0] == '/') {
		kind, mode = value[0], value[1:]
	}
	c, err := parseChange(mode, 0)
	if err != nil {
		return nil, fmt.Errorf("invalid mode ‘%s’", value)
	}
	want := c(0, false)
	return func(n *node) bool {
		bits := permBits(n.info.Mode())
		switch kind {
		case '-':
			return bits&want == want
		case '/':
			return want == 0 || bits&want != 0
		}
		return bits == want
	}, nil
}

func dayEnd(year int, month time.Month, day int, zone *time.Location) time.Time {
	return time.Date(year, month, day+1, 0, 0, 0, 0, zone)
}
