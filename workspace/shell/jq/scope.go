package jq

// scope is the names that are known in one place of a program, the innermost first.
type scope struct {
	outer *scope
	kind  byte // one of those below
	name  string
	arity int
	level int // of the frame that has it
	at    int // its place there
	f     *function
	value any
}

// The kinds of names.
const (
	aVariable = 'v'
	aConstant = 'c' // a variable whose value is known before the program runs
	aFunction = 'f'
	aClosure  = 'a'
	aLabel    = 'l'
)

func (s *scope) find(name string, arity int, kinds string) *scope {
	for ; s != nil; s = s.outer {
		if s.name == name && s.arity == arity {
			for i := range len(kinds) {
				if kinds[i] == s.kind {
					return s
				}
			}
		}
	}
	return nil
}

// place is where a part of a program stands.
type place struct {
	names *scope
	level int
	slots *int // how many variables the frame has
	last  bool // what stands here is the last thing of a function
}

// with gives the place with one name more.
func (c place) with(s scope) place {
	s.outer = c.names
	c.names = &s
	return c
}

// slot gives a place in the frame for a variable.
func (c place) slot() int {
	*c.slots++
	return *c.slots - 1
}

func (c place) variable(name string) (place, int) {
	at := c.slot()
	return c.with(scope{kind: aVariable, name: name, level: c.level, at: at}), at
}

// inside is the place of a part after which something is left to do.
func (c place) inside() place {
	c.last = false
	return c
}
