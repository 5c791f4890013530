package expand

import (
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
)

func itoa64(n int64) string { return strconv.FormatInt(n, 10) }

// Flags gives the attributes of a variable as the letters of declare, "" for none.
func Flags(v vars.Var) string {
	var b strings.Builder
	letter := func(on bool, ch byte) {
		if on {
			b.WriteByte(ch)
		}
	}
	letter(v.Kind == vars.Indexed, 'a')
	letter(v.Kind == vars.Assoc, 'A')
	letter(v.Has(vars.Integer), 'i')
	letter(v.Kind == vars.NameRef, 'n')
	letter(v.Has(vars.ReadOnly), 'r')
	letter(v.Has(vars.Export), 'x')
	letter(v.Has(vars.Lower), 'l')
	letter(v.Has(vars.Upper), 'u')
	return b.String()
}

// Declaration gives a variable as declare -p prints it, without a newline. It follows no
// name reference. Whether the name is declared at all is the caller's to check.
func (c *Config) Declaration(name string) string {
	v := c.Shell.Get(name)
	flags := Flags(v)
	if flags == "" {
		flags = "-"
	}
	head := "declare -" + flags + " " + name
	switch v.Kind {
	case vars.Unset:
		return head
	case vars.Indexed, vars.Assoc:
		if v.Kind == vars.Indexed && v.List.None() || v.Kind == vars.Assoc && v.Map == nil {
			return head
		}
		return head + "=" + compound(v)
	case vars.NameRef:
		if v.Str == "" {
			return head
		}
	}
	return head + "=" + doubleQuote(v.Str)
}

// compound gives the elements of an array as they are assigned.
func compound(v vars.Var) string {
	var b strings.Builder
	b.WriteByte('(')
	if v.Kind == vars.Indexed {
		for i, s := range v.List.Values() {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString("[" + itoa(v.List.Index(i)) + "]=" + doubleQuote(s))
		}
	} else {
		for _, key := range Keys(v) {
			b.WriteString("[" + quoteKey(key) + "]=" + doubleQuote(v.Map[key]) + " ")
		}
	}
	b.WriteByte(')')
	return b.String()
}
