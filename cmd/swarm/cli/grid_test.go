package cli

import "testing"

func TestGrid(t *testing.T) {
	t.Parallel()
	g := grid{indent: "  "}
	g.row("NAME", "KIND", "MEANING")
	g.row("one", "gauge", "汉字 are as wide as two characters each")
	g.row("seven", "-", "short")
	for _, row := range []struct {
		name  string
		width int
		want  string
	}{
		{"no terminal", 0, "  NAME   KIND   MEANING\n  one    gauge  汉字 are as wide as two characters each\n  seven  -      short\n"},
		{"wide", 80, "  NAME   KIND   MEANING\n  one    gauge  汉字 are as wide as two characters each\n  seven  -      short\n"},
		{"cut", 40, "  NAME   KIND   MEANING\n  one    gauge  汉字 are as wide as two…\n  seven  -      short\n"},
		{"columns too wide for a line", 13, "  NAME   KIND\n      MEANING\n  one  gauge\n      汉字 a…\n  seven  -\n      short\n"},
		{"on a line of its own", 30, "  NAME   KIND   MEANING\n  one    gauge\n      汉字 are as wide as two…\n  seven  -      short\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if got := g.text(row.width); got != row.want {
				t.Errorf("got\n%s\nwant\n%s", got, row.want)
			}
		})
	}
}
