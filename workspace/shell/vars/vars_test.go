package vars

import (
	"slices"
	"testing"
)

func TestAForkSharesNothingThatEitherChanges(t *testing.T) {
	t.Parallel()
	parent := NewTable([]string{"HOME=/"})
	parent.Put("a", Var{Kind: Indexed, List: ArrayOf("one", "two")})
	put := func(at int, s string) func(*Var) { return func(v *Var) { v.List = v.List.Put(at, s) } }
	parent.Update("a", put(2, "three"))
	child := parent.Fork()
	parent.Update("a", put(0, "parent"))
	child.Update("a", put(0, "child"))
	child.Update("a", put(7, "far"))
	child.Put("HOME", Var{Kind: Scalar, Str: "/child"})
	for _, c := range []struct {
		of   *Table
		list []string
		max  int
		home string
	}{{parent, []string{"parent", "two", "three"}, 2, "/"}, {child, []string{"child", "two", "three", "far"}, 7, "/child"}} {
		v := c.of.Get("a")
		if !slices.Equal(v.List.Values(), c.list) || v.List.Max() != c.max || c.of.Get("HOME").String() != c.home {
			t.Errorf("got %v up to %d, HOME=%s; want %+v", v.List.Values(), v.List.Max(), c.of.Get("HOME"), c)
		}
	}
}

func TestScopes(t *testing.T) {
	t.Parallel()
	table := NewTable([]string{"x=global"})
	table.Push()
	table.PutLocal("x", Var{Kind: Scalar, Str: "local"})
	table.Push()
	table.Put("x", Var{Kind: Scalar, Str: "changed"}) // of the caller: scopes are dynamic
	if table.LocalTo("x") || table.Get("x").Str != "changed" {
		t.Fatalf("the inner function has x=%s of its own: %v", table.Get("x").Str, table.LocalTo("x"))
	}
	table.Pop()
	table.Delete("x")
	if got := table.Get("x").Str; got != "global" {
		t.Fatalf("after unset of the local: %q", got)
	}
	table.Pop()
	if env := table.Environ(); !slices.Equal(env, []string{"x=global"}) {
		t.Fatalf("environment %q", env)
	}
}

func TestAnArrayWithGaps(t *testing.T) {
	t.Parallel()
	a := ArrayOf("a", "b", "c").Drop(1).Put(10, "k").Put(5, "f").Drop(0)
	if got := a.Values(); !slices.Equal(got, []string{"c", "f", "k"}) || a.Index(1) != 5 || a.Max() != 10 {
		t.Fatalf("%q, second at %d, up to %d", got, a.Index(1), a.Max())
	}
	if _, ok := a.Get(0); ok {
		t.Fatal("a dropped element is there")
	}
}

// A text that grows in place is one of its own in a fork, in what was taken before, and in
// a variable that was set from it.
func TestATextThatGrows(t *testing.T) {
	t.Parallel()
	table := NewTable([]string{"s=a"})
	grow := func(of *Table, name, s string) { of.Update(name, func(v *Var) { v.Append(s) }) }
	grow(table, "s", "b")
	before := table.Get("s")
	child := table.Fork()
	grow(table, "s", "parent")
	grow(child, "s", "child")
	table.Put("copy", before)
	grow(table, "copy", "copy")
	grow(table, "s", "!")
	taken := table.Get("s")
	taken.Append("taken")
	grow(table, "s", "?")
	table.Update("s", func(v *Var) { v.Str = "other" })
	grow(table, "s", ".")
	for got, want := range map[string]string{
		before.Str: "ab", child.Get("s").Str: "abchild", table.Get("copy").Str: "abcopy", taken.Str: "abparent!taken", table.Get("s").Str: "other.",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
