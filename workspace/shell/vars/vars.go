// Package vars owns the variables of a shell: their kinds and attributes, the scopes of
// functions, and cheap copies for subshells. It knows nothing of syntax or expansion.
package vars

import (
	"maps"
	"slices"
	"sort"
	"strings"
)

// Kind is what a variable holds.
type Kind uint8

// Kinds. Unset is a variable that may be declared and has no value.
const (
	Unset   Kind = iota
	Scalar       // Str
	Indexed      // List
	Assoc        // Map
	NameRef      // Str is the name, or name[index], that it stands for
)

// Attr are the attributes of a variable, as flags.
type Attr uint16

// Attributes.
const (
	Export   Attr = 1 << iota // -x
	ReadOnly                  // -r
	Integer                   // -i
	Lower                     // -l
	Upper                     // -u
	Local                     // made in the scope of a function
)

// Var is a variable. One that came from a [Table] shares its List and Map with the table:
// only [Table.Update] changes elements in place.
type Var struct {
	Kind Kind
	Attr Attr
	Str  string
	List Array
	Map  map[string]string
	Keys []string // of Map, in order of insertion

	owner *token           // whose List, Map and text these are alone; nil: may be shared
	text  *strings.Builder // that Str stands in, with room behind it; nil: it stands alone
}

// Append adds to Str. Within [Table.Update] a text that grows piece by piece is not copied
// for each of them.
func (v *Var) Append(s string) {
	if v.text == nil || v.text.String() != v.Str {
		v.text = &strings.Builder{}
		v.text.Grow(2 * (len(v.Str) + len(s)))
		v.text.WriteString(v.Str)
	}
	v.text.WriteString(s)
	v.Str = v.text.String()
}

// token stands for a table between two forks.
type token struct{ _ byte }

// Set says whether the variable has a value.
func (v Var) Set() bool { return v.Kind != Unset }

// Has says whether all attributes of a are set.
func (v Var) Has(a Attr) bool { return v.Attr&a == a }

// String gives the value where one string is meant: element 0 of an array, key "0" of an
// associative one.
func (v Var) String() string {
	switch v.Kind {
	case Indexed:
		s, _ := v.List.Get(0)
		return s
	case Assoc:
		return v.Map["0"]
	}
	return v.Str
}

// Array is an indexed array, which may have gaps. The zero value is empty. It is a value:
// methods that change it give the changed one, and may reuse the storage of the receiver,
// which must not be used after that; [Array.Clone] first to keep both, as [Table.Update] does.
type Array struct {
	index  []int // nil: the values stand at 0, 1, 2, ...
	values []string
}

// ArrayOf gives an array without gaps.
func ArrayOf(values ...string) Array { return Array{values: values} }

// Len gives the number of elements that are set.
func (a Array) Len() int { return len(a.values) }

// Values gives the elements in order. It must not be changed.
func (a Array) Values() []string { return a.values }

// Index gives the index of the i-th element that is set.
func (a Array) Index(i int) int {
	if a.index == nil {
		return i
	}
	return a.index[i]
}

// None says whether the array was never given elements, not even none of them: it is only
// declared.
func (a Array) None() bool { return a.values == nil }

// Max gives the highest index that is set, -1 when empty.
func (a Array) Max() int {
	if len(a.values) == 0 {
		return -1
	}
	return a.Index(len(a.values) - 1)
}

// find gives the position of an index, or where it would be inserted.
func (a Array) find(at int) (pos int, ok bool) {
	if a.index == nil {
		return min(at, len(a.values)), at < len(a.values)
	}
	return slices.BinarySearch(a.index, at)
}

// Get gives the element at an index, which is not negative.
func (a Array) Get(at int) (string, bool) {
	pos, ok := a.find(at)
	if !ok {
		return "", false
	}
	return a.values[pos], true
}

// Put gives the array with an element at an index, which is not negative.
func (a Array) Put(at int, value string) Array {
	pos, ok := a.find(at)
	if ok {
		a.values[pos] = value
		return a
	}
	if a.index == nil && at == len(a.values) {
		a.values = append(a.values, value)
		return a
	}
	a = a.indexed()
	a.index = slices.Insert(a.index, pos, at)
	a.values = slices.Insert(a.values, pos, value)
	return a
}

// Drop gives the array without the element at an index.
func (a Array) Drop(at int) Array {
	pos, ok := a.find(at)
	if !ok {
		return a
	}
	if a.index == nil && pos == len(a.values)-1 {
		a.values = a.values[:pos]
		return a
	}
	a = a.indexed()
	a.index = slices.Delete(a.index, pos, pos+1)
	a.values = slices.Delete(a.values, pos, pos+1)
	return a
}

func (a Array) indexed() Array {
	if a.index == nil {
		a.index = make([]int, len(a.values))
		for i := range a.index {
			a.index[i] = i
		}
	}
	return a
}

// Clone gives a copy that shares nothing.
func (a Array) Clone() Array {
	return Array{slices.Clone(a.index), slices.Clone(a.values)}
}

// scope is the variables of one level: the whole shell, or one call of a function.
type scope struct {
	vars   map[string]*Var
	shared bool // with another table: copied before it is changed
}

// Table is the variables of a shell: a global scope and one more for each function that
// runs. It is not safe for concurrent use; a subshell gets a [Table.Fork].
type Table struct {
	scopes []scope
	token  *token
	env    []string // what Environ gave, nil once an exported variable has changed
}

// NewTable gives a table with exported variables of the form NAME=value.
func NewTable(env []string) *Table {
	t := &Table{scopes: []scope{{vars: make(map[string]*Var, len(env)+16)}}, token: &token{}}
	for _, pair := range env {
		for i := range len(pair) {
			if pair[i] == '=' {
				t.scopes[0].vars[pair[:i]] = &Var{Kind: Scalar, Attr: Export, Str: pair[i+1:]}
				break
			}
		}
	}
	return t
}

// Fork gives a copy for a subshell. Both share what neither changes.
func (t *Table) Fork() *Table {
	for i := range t.scopes {
		t.scopes[i].shared = true
	}
	t.token = &token{}
	return &Table{scopes: slices.Clone(t.scopes), token: &token{}, env: t.env}
}

// Push begins the scope of a function and Pop ends it.
func (t *Table) Push() { t.scopes = append(t.scopes, scope{}) }

// Pop ends the innermost scope of a function.
func (t *Table) Pop() {
	ended := t.scopes[len(t.scopes)-1].vars
	t.scopes = t.scopes[:len(t.scopes)-1]
	for name, v := range ended {
		if t.env != nil && (v.Has(Export) || t.Get(name).Has(Export)) {
			t.env = nil
		}
	}
}

// Global hides the scopes of functions until restore is called; none may begin or end
// meanwhile.
func (t *Table) Global() (restore func()) {
	inner := t.scopes[1:]
	t.scopes = t.scopes[:1:1]
	return func() { t.scopes = append(t.scopes, inner...) }
}

// Depth gives the number of functions that run.
func (t *Table) Depth() int { return len(t.scopes) - 1 }

// Get gives a variable as it stands, without following a name reference. A variable that
// is not there gives the zero Var.
func (t *Table) Get(name string) Var {
	for i := len(t.scopes) - 1; i >= 0; i-- {
		if v, ok := t.scopes[i].vars[name]; ok {
			return *v
		}
	}
	return Var{}
}

// Known says whether the variable is declared, with or without a value.
func (t *Table) Known(name string) bool {
	for i := len(t.scopes) - 1; i >= 0; i-- {
		if _, ok := t.scopes[i].vars[name]; ok {
			return true
		}
	}
	return false
}

// LocalTo says whether the innermost function declared the variable itself.
func (t *Table) LocalTo(name string) bool {
	top := t.scopes[len(t.scopes)-1]
	_, ok := top.vars[name]
	return ok && len(t.scopes) > 1
}

// Put sets a variable in the innermost scope that has it, else in the global one.
func (t *Table) Put(name string, v Var) { t.put(t.home(name), name, v) }

// PutLocal sets a variable in the innermost scope.
func (t *Table) PutLocal(name string, v Var) { t.put(len(t.scopes)-1, name, v) }

// PutGlobal sets a variable in the global scope.
func (t *Table) PutGlobal(name string, v Var) { t.put(0, name, v) }

func (t *Table) home(name string) int {
	for i := len(t.scopes) - 1; i > 0; i-- {
		if _, ok := t.scopes[i].vars[name]; ok {
			return i
		}
	}
	return 0
}

func (t *Table) put(i int, name string, v Var) {
	v.owner, v.text = nil, nil
	vars := t.own(i)
	if v.Has(Export) || t.env != nil && t.Get(name).Has(Export) {
		t.env = nil
	}
	vars[name] = &v
}

// Update lets change alter a variable in place, its elements too; a variable that is not
// there begins as the zero Var in the global scope. It is the cheap way to set one element.
func (t *Table) Update(name string, change func(*Var)) {
	at := t.home(name)
	vars := t.own(at)
	v := &Var{}
	if old, ok := vars[name]; ok {
		*v = *old
	}
	if v.owner != t.token {
		v.List, v.Map, v.Keys, v.text = v.List.Clone(), maps.Clone(v.Map), slices.Clone(v.Keys), nil
		v.owner = t.token
	}
	before := v.Has(Export)
	change(v)
	if before || v.Has(Export) {
		t.env = nil
	}
	vars[name] = v
}

// own gives the map of a scope for changing.
func (t *Table) own(i int) map[string]*Var {
	s := &t.scopes[i]
	switch {
	case s.vars == nil:
		s.vars = map[string]*Var{}
	case s.shared:
		s.vars = maps.Clone(s.vars)
	}
	s.shared = false
	return s.vars
}

// Delete removes a variable from the innermost scope that has it.
func (t *Table) Delete(name string) {
	i := t.home(name)
	if _, ok := t.scopes[i].vars[name]; ok {
		t.env = nil // what it hid may be exported
		delete(t.own(i), name)
	}
}

// Names gives the names of all declared variables that begin with a prefix, sorted.
func (t *Table) Names(prefix string) []string {
	seen := map[string]bool{}
	for _, s := range t.scopes {
		for name := range s.vars {
			if len(name) >= len(prefix) && name[:len(prefix)] == prefix {
				seen[name] = true
			}
		}
	}
	names := slices.Collect(maps.Keys(seen))
	sort.Strings(names)
	return names
}

// Environ gives the exported scalars as NAME=value, sorted. It must not be changed: it stays
// the same until an exported variable changes.
func (t *Table) Environ() []string {
	if t.env != nil {
		return t.env
	}
	env := []string{}
	for _, name := range t.Names("") {
		if v := t.Get(name); v.Has(Export) && v.Kind == Scalar {
			env = append(env, name+"="+v.String())
		}
	}
	t.env = env
	return env
}
