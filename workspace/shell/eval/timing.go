package eval

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mvdan.cc/sh/v3/syntax"
)

// timeClause executes a statement and reports how long it took, on standard error. Only the
// real time is known: the others are shown as zero.
func (sh *Shell) timeClause(ctx context.Context, c *syntax.TimeClause) int {
	begin := sh.now()
	status := 0
	if c.Stmt != nil {
		status = sh.stmt(ctx, c.Stmt)
	}
	took := sh.now().Sub(begin)
	layout := "\nreal\t%3lR\nuser\t%3lU\nsys\t%3lS"
	if v := sh.vars.Get("TIMEFORMAT"); v.Set() {
		layout = v.Str
	}
	if c.PosixFormat {
		layout = "real %2R\nuser %2U\nsys %2S"
	}
	if layout != "" {
		sh.fd(2).write(ctx, []byte(timeText(layout, took)+"\n"))
	}
	return status
}

// timeText fills in TIMEFORMAT.
func timeText(layout string, took time.Duration) string {
	var b strings.Builder
	for i := 0; i < len(layout); i++ {
		if layout[i] != '%' || i+1 == len(layout) {
			b.WriteByte(layout[i])
			continue
		}
		i++
		digits, long := 3, false
		if c := layout[i]; c >= '0' && c <= '9' && i+1 < len(layout) {
			digits = min(int(c-'0'), 3)
			i++
		}
		if layout[i] == 'l' && i+1 < len(layout) {
			long = true
			i++
		}
		switch layout[i] {
		case '%':
			b.WriteByte('%')
		case 'R':
			b.WriteString(clock(took, digits, long))
		case 'U', 'S':
			b.WriteString(clock(0, digits, long))
		case 'P':
			b.WriteString("0.00")
		default:
			b.WriteString("%" + layout[i:i+1])
		}
	}
	return b.String()
}

// clock gives a duration in seconds, or long as minutes and seconds.
func clock(d time.Duration, digits int, long bool) string {
	if !long {
		return fmt.Sprintf("%.*f", digits, d.Seconds())
	}
	minutes := int(d / time.Minute)
	return fmt.Sprintf("%dm%.*fs", minutes, digits, (d - time.Duration(minutes)*time.Minute).Seconds())
}
