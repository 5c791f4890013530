package jq

import (
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/regex"
)

// regexKey is what an expression is compiled from.
type regexKey struct{ text, flags string }

// regexEntry is an expression that was compiled, with the flags that matter afterwards.
type regexEntry struct {
	re       *regex.Regexp
	global   bool
	notEmpty bool
}

// maxRegexes is how many expressions a run keeps compiled.
const maxRegexes = 256

func (m *machine) regex(text, flags string) (*regexEntry, error) {
	key := regexKey{text, flags}
	if x := m.regexes[key]; x != nil {
		return x, nil
	}
	x := &regexEntry{}
	o := regex.Options{Syntax: regex.Perl, Budget: m.host.c.Budget}
	inline := ""
	for _, flag := range flags {
		switch flag {
		case 'g':
			x.global = true
		case 'i':
			o.FoldCase = true
		case 'x':
			inline += "x"
		case 'm', 'p':
			inline += "s" // in Oniguruma's words a dot that matches a newline is multi-line
		case 's', 'l':
		case 'n':
			x.notEmpty = true
		default:
			return nil, words(flags + " is not a valid modifier string")
		}
	}
	pattern := text
	if inline != "" {
		pattern = "(?" + inline + ")" + text
	}
	var err error
	if x.re, err = regex.Compile(pattern, o); err != nil {
		return nil, worded("%s (at offset 0) is not a valid regex: %v", text, err)
	}
	if m.regexes == nil || len(m.regexes) >= maxRegexes {
		m.regexes = map[regexKey]*regexEntry{}
	}
	m.regexes[key] = x
	return x, nil
}

// matcher is one search of a text.
type matcher struct {
	*regexEntry
	text    string
	b       []byte
	at      int // where the next search begins
	done    bool
	counted int // the characters before offset
	offset  int
}

// search begins a search with the arguments of match and its like.
func (m *machine) search(v any, args []any, extra string) (*matcher, error) {
	var re, flags any
	if re = args[0]; len(args) > 1 {
		flags = args[1]
	} else if a, ok := re.(*array); ok {
		if a.len() == 0 {
			return nil, words("array not a string or array")
		}
		re = a.list()[0]
		if a.len() > 1 {
			flags = a.list()[1]
		}
	} else if _, ok := re.(string); !ok {
		return nil, words(typeOf(re) + " not a string or array")
	}
	text, ok := v.(string)
	if !ok {
		return nil, one(v, "cannot be matched, as it is not a string")
	}
	pattern, ok := re.(string)
	if !ok {
		return nil, one(re, "cannot be matched, as it is not a string")
	}
	mode, ok := flags.(string)
	if !ok && flags != nil {
		return nil, one(flags, "is not a string")
	}
	x, err := m.regex(pattern, extra+mode)
	if err != nil {
		return nil, err
	}
	return &matcher{regexEntry: x, text: text, b: []byte(text)}, nil
}

// next gives the offsets of the next match, or nil.
func (s *matcher) next() ([]int, error) {
	for !s.done && s.at <= len(s.b) {
		loc, err := s.re.Find(s.b, s.at)
		if err != nil {
			return nil, words(err.Error())
		}
		if loc == nil {
			break
		}
		if s.at = loc[1]; loc[0] == loc[1] {
			_, size := utf8.DecodeRune(s.b[s.at:])
			s.at += max(size, 1)
			if s.notEmpty {
				continue
			}
		}
		s.done = !s.global
		return loc, nil
	}
	s.done = true
	return nil, nil
}

// position gives an offset in characters.
func (s *matcher) position(offset int) int {
	if offset < s.offset {
		s.offset, s.counted = 0, 0
	}
	s.counted += utf8.RuneCountInString(s.text[s.offset:offset])
	s.offset = offset
	return s.counted
}

var (
	matchKeys   = []string{"offset", "length", "string", "captures"}
	captureKeys = []string{"offset", "length", "string", "name"}
	emptyKeys   = []string{"offset", "string", "length", "name"} // the order for an empty group
)

// describe gives a match as match does.
func (s *matcher) describe(loc []int) any {
	whole := s.text[loc[0]:loc[1]]
	groups := &array{items: make([]any, 0, len(loc)/2-1)}
	for i := 2; i+1 < len(loc); i += 2 {
		groups.items = append(groups.items, s.group(loc, i))
	}
	return &object{keys: matchKeys[:4:4], vals: []any{s.position(loc[0]), utf8.RuneCountInString(whole), whole, groups}}
}

func (s *matcher) group(loc []int, i int) any {
	var name any
	if n := s.re.Name(i / 2); n != "" {
		name = n
	}
	from, to := loc[i], loc[i+1]
	switch {
	case from < 0:
		return &object{keys: emptyKeys[:4:4], vals: []any{-1, nil, 0, name}}
	case from == to:
		return &object{keys: emptyKeys[:4:4], vals: []any{s.position(from), "", 0, name}}
	}
	text := s.text[from:to]
	return &object{keys: captureKeys[:4:4], vals: []any{s.position(from), utf8.RuneCountInString(text), text, name}}
}

// named gives the groups that have names as an object.
func (s *matcher) named(loc []int) *object {
	o := &object{}
	for i := 2; i+1 < len(loc); i += 2 {
		name := s.re.Name(i / 2)
		switch {
		case name == "":
		case loc[i] >= 0:
			o.put(name, s.text[loc[i]:loc[i+1]])
		case o.find(name) < 0:
			o.put(name, nil)
		}
	}
	return o
}

// all gives what do makes of each match.
func (s *matcher) all(m *machine, do func(loc []int) any) (any, error) {
	list := &array{}
	for {
		loc, err := s.next()
		if err != nil {
			return nil, err
		}
		if loc == nil {
			return list, nil
		}
		list.items = append(list.items, do(loc))
		if err := m.tick(); err != nil {
			return nil, err
		}
	}
}

func matches() map[string]builtin {
	all := map[string]builtin{}
	for name, do := range map[string]builtin{
		"test": func(m *machine, v any, args []any) (any, error) {
			s, err := m.search(v, args, "")
			if err != nil {
				return nil, err
			}
			loc, err := s.next()
			return loc != nil, err
		},
		"_match": func(m *machine, v any, args []any) (any, error) {
			s, err := m.search(v, args, "")
			if err != nil {
				return nil, err
			}
			return s.all(m, s.describe)
		},
		"_capture": func(m *machine, v any, args []any) (any, error) {
			s, err := m.search(v, args, "")
			if err != nil {
				return nil, err
			}
			return s.all(m, func(loc []int) any { return s.named(loc) })
		},
		"_scan": func(m *machine, v any, args []any) (any, error) {
			s, err := m.search(v, args, "g")
			if err != nil {
				return nil, err
			}
			return s.all(m, s.scanned)
		},
		"_splits": func(m *machine, v any, args []any) (any, error) { return m.splits(v, args) },
	} {
		all[name+"/1"], all[name+"/2"] = do, do
	}
	all["split/2"] = all["_splits/2"]
	return all
}

// scanned gives the text of a match, or those of its groups.
func (s *matcher) scanned(loc []int) any {
	if len(loc) == 2 {
		return s.text[loc[0]:loc[1]]
	}
	list := &array{}
	for i := 2; i+1 < len(loc); i += 2 {
		if loc[i] < 0 {
			list.items = append(list.items, nil)
		} else {
			list.items = append(list.items, s.text[loc[i]:loc[i+1]])
		}
	}
	return list
}

func (m *machine) splits(v any, args []any) (any, error) {
	s, err := m.search(v, args, "g")
	if err != nil {
		return nil, err
	}
	from := 0
	parts, err := s.all(m, func(loc []int) any {
		part := s.text[from:loc[0]]
		from = loc[1]
		return part
	})
	if err != nil {
		return nil, err
	}
	list := parts.(*array)
	list.items = append(list.items, s.text[from:])
	return list, nil
}
