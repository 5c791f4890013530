package cli

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// vt is as much of a terminal as the tree needs: what it does not know, fails the test.
type vt struct {
	t       *testing.T
	w, h    int
	x, y    int
	rows    [][]string // cells of the screen; the second one of a wide character is empty
	above   []string   // rows that have left the screen
	hidden  bool       // the cursor
	modes   []string   // set and not reset, but that of the cursor
	colours bool       // there were some
	wraps   bool       // at a new size rows that are too wide become several
	rest    []byte     // beginning of what is not there yet
}

func newVT(t *testing.T, w, h int) *vt {
	v := &vt{t: t, w: w, h: h}
	for range h {
		v.rows = append(v.rows, make([]string, w))
	}
	return v
}

// resize makes rows longer or shorter, or, when the terminal wraps, several of what is
// wider than it is now. The cursor stays with the row that it is in.
func (v *vt) resize(w int) {
	var rows [][]string
	y := 0
	for i, row := range v.rows {
		if i == v.y {
			y = len(rows)
		}
		for used := len(strings.TrimRight(strings.Join(blanks(row), ""), " ")); v.wraps && used > w; used -= w {
			rows = append(rows, row[:w:w])
			row = row[w:]
		}
		rows = append(rows, append(row[:min(len(row), w):min(len(row), w)], make([]string, max(w-len(row), 0))...))
	}
	for len(rows) > v.h && len(rows) > y+1 && v.blank(rows[len(rows)-1]) {
		rows = rows[:len(rows)-1]
	}
	for ; len(rows) > v.h; y-- {
		v.above = append(v.above, line(rows[0]))
		rows = rows[1:]
	}
	v.rows, v.y, v.w, v.x = rows, y, w, min(v.x, w-1)
}

// blanks gives cells with one byte each.
func blanks(row []string) []string {
	out := make([]string, len(row))
	for i, cell := range row {
		if out[i] = " "; cell != "" && cell != " " {
			out[i] = "x"
		}
	}
	return out
}

func (v *vt) blank(row []string) bool { return line(row) == "" }

// text gives everything, what has left the screen too, without empty rows at the end.
func (v *vt) text() string {
	lines := slices.Clone(v.above)
	for _, row := range v.rows {
		lines = append(lines, line(row))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

func line(row []string) string {
	var b strings.Builder
	for i, cell := range row {
		switch {
		case cell != "":
			b.WriteString(cell)
		case i == 0 || columns(row[i-1]) < 2:
			b.WriteByte(' ')
		}
	}
	return strings.TrimRight(b.String(), " ")
}

func (v *vt) write(b []byte) {
	b = append(v.rest, b...)
	v.rest = nil
	for len(b) > 0 {
		n := v.one(b)
		if n == 0 {
			v.rest = slices.Clone(b)
			return
		}
		b = b[n:]
	}
}

// one does the first thing of b and gives its length; 0: it is not whole.
func (v *vt) one(b []byte) int {
	switch b[0] {
	case '\r':
		v.x = 0
		return 1
	case '\n':
		v.down()
		return 1
	case '\b':
		v.x = max(v.x-1, 0)
		return 1
	case '\x1b':
		return v.escape(b)
	}
	if !utf8.FullRune(b) {
		return 0
	}
	r, n := utf8.DecodeRune(b)
	if r < ' ' || r == 0x7f || r == utf8.RuneError {
		v.t.Errorf("the terminal got %q", b[:min(len(b), 20)])
		return n
	}
	v.put(string(r))
	return n
}

func (v *vt) put(s string) {
	w := columns(s)
	if w == 0 { // it joins the character before
		if v.x > 0 {
			v.rows[v.y][v.x-1] += s
		}
		return
	}
	if v.x+w > v.w {
		v.x = 0
		v.down()
	}
	v.rows[v.y][v.x] = s
	if w == 2 {
		v.rows[v.y][v.x+1] = ""
	}
	v.x += w
}

func (v *vt) down() {
	if v.y < v.h-1 {
		v.y++
		return
	}
	v.above = append(v.above, line(v.rows[0]))
	v.rows = append(v.rows[1:], make([]string, v.w))
}

func (v *vt) escape(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	if b[1] != '[' {
		v.t.Errorf("the terminal got %q", b[:min(len(b), 20)])
		return 2
	}
	i := 2
	for i < len(b) && (b[i] < 0x40 || b[i] > 0x7e) {
		i++
	}
	if i == len(b) {
		return 0
	}
	v.control(string(b[2:i]), b[i])
	return i + 1
}

func (v *vt) control(args string, final byte) {
	n := 1
	if k, err := strconv.Atoi(args); err == nil && k > 0 {
		n = k
	}
	row := v.rows[v.y]
	x := min(v.x, v.w-1)
	switch final {
	case 'A':
		v.y = max(v.y-n, 0)
	case 'B':
		v.y = min(v.y+n, v.h-1)
	case 'C':
		v.x = min(v.x+n, v.w-1)
	case 'D':
		v.x = max(v.x-n, 0)
	case 'G':
		v.x = min(n, v.w) - 1
	case 'J':
		v.want(args == "" || args == "0", args, final)
		clear(row[x:])
		for _, below := range v.rows[v.y+1:] {
			clear(below)
		}
	case 'K':
		switch args {
		case "", "0":
			clear(row[x:])
		case "1":
			clear(row[:x+1])
		case "2":
			clear(row)
		}
	case 'L':
		for range min(n, v.h-v.y) {
			v.rows = slices.Insert(slices.Delete(v.rows, v.h-1, v.h), v.y, make([]string, v.w))
		}
	case 'M':
		for range min(n, v.h-v.y) {
			v.rows = append(slices.Delete(v.rows, v.y, v.y+1), make([]string, v.w))
		}
	case 'X':
		clear(row[x:min(x+n, v.w)])
	case 'P':
		v.rows[v.y] = append(slices.Delete(row, x, min(x+n, v.w)), make([]string, min(n, v.w-x))...)
	case '@':
		v.rows[v.y] = slices.Insert(row, x, make([]string, min(n, v.w-x))...)[:v.w]
	case 'm':
		v.colours = v.colours || args != "" && args != "0"
	case 'h', 'l':
		v.mode(args, final == 'h')
	default:
		v.want(false, args, final)
	}
}

func (v *vt) mode(args string, on bool) {
	usual := args == "?7" // to go on in the next row: the only one that is set at the beginning
	switch {
	case args == "?25":
		v.hidden = !on
	case on == usual:
		v.modes = slices.DeleteFunc(v.modes, func(m string) bool { return m == args })
	default:
		v.modes = append(v.modes, args)
	}
}

func (v *vt) want(ok bool, args string, final byte) {
	if !ok {
		v.t.Errorf("this terminal does not know CSI %s %c", args, final)
	}
}
