package cli

import (
	"fmt"
	"strings"
	"time"
)

// liveRow is one agent in the columns of a view.
type liveRow struct {
	a                         *liveAgent
	name, state, doing, stats string
}

// view draws the run and its agents in at most height rows of at most width columns.
func (s *liveState) view(width, height int, now time.Time, l *looks) string {
	lines := s.head(width, now, l)
	if room := height - len(lines); room > 0 && len(s.all) > 0 {
		lines = append(lines, s.tree(width, room, now, l)...)
	}
	return strings.Join(lines[:min(len(lines), max(height, 0))], "\n")
}

// head says how the run stands: its state, then as much of the rest as there is room for.
func (s *liveState) head(width int, now time.Time, l *looks) []string {
	took := s.took(now)
	word, more := s.stands()
	parts := []string{took.Truncate(time.Second).String(), s.run, s.team, s.used("agents", s.agents, s.limits.Agents)}
	if s.limits.Rounds > 0 {
		parts = append(parts, s.used("rounds", s.rounds, s.limits.Rounds))
	}
	if s.limits.Calls > 0 {
		parts = append(parts, s.used("calls", s.calls, s.limits.Calls))
	}
	parts = append(parts, compact(s.usage, s.usage.Input)+" in, "+compact(s.usage, s.usage.Output)+" out", grouped(s.records)+" records")
	line := cut(word, width)
	left := width - columns(line)
	var rest strings.Builder
	for _, part := range parts {
		if part == "" {
			continue
		}
		if part = "  " + part; columns(part) > left {
			break
		}
		left -= columns(part)
		rest.WriteString(part)
	}
	lines := []string{l.state(s.word, line) + rest.String()}
	if more != "" {
		lines = append(lines, l.dim(cut(more, width)))
	}
	return lines
}

// took says how long the run has worked, the time at rest left out.
func (s *liveState) took(now time.Time) time.Duration {
	if s.rests || s.begun.IsZero() {
		return s.worked
	}
	return s.worked + max(now.Sub(s.begun), 0)
}

// stands gives the state of the run, and what it still waits for when it was stopped.
func (s *liveState) stands() (word, more string) {
	switch {
	case s.rests:
		return s.word, ""
	case s.asked == askedStop:
		word = "stopped at once"
	case s.asked == askedCancel:
		word = "cancelling, again to stop at once"
	case s.cancelled:
		word = "cancelling"
	case s.asked == askedPause:
		return "pausing, what has begun may settle", ""
	default:
		return s.word, ""
	}
	var names []string
	for _, a := range s.all {
		if a.started && !a.ended {
			names = append(names, a.name)
		}
	}
	if len(names) > 0 {
		more = "not stopped yet: " + strings.Join(names, ", ")
	}
	return word, more
}

func (s *liveState) used(what string, n, limit int) string {
	if limit == 0 {
		return fmt.Sprintf("%s %d", what, n)
	}
	return fmt.Sprintf("%s %d/%d", what, n, limit)
}

// tree draws the agents, each below the one that gave it its work.
func (s *liveState) tree(width, height int, now time.Time, l *looks) []string {
	c := s.choose(height)
	rows := make([]liveRow, 0, len(c.shown))
	var walk func([]*liveAgent)
	walk = func(agents []*liveAgent) {
		for _, a := range agents {
			if c.shown[a] {
				rows = append(rows, s.row(a, now))
				walk(a.below)
			}
		}
	}
	walk(s.roots)
	t := measured(rows, width)
	lines := make([]string, 0, height)
	for i := range rows {
		r := &rows[i]
		lines = append(lines, t.line(r, l))
		indent := min(2*r.a.depth+2, width/3)
		for _, text := range tail(r.a.text, width-indent, c.texts[r.a]) {
			lines = append(lines, strings.Repeat(" ", indent)+l.dim(strings.TrimRight(text, " ")))
		}
	}
	if c.rest {
		lines = append(lines, l.dim(cut(s.summary(c), width)))
	}
	return lines
}

func (s *liveState) row(a *liveAgent, now time.Time) liveRow {
	name := strings.Repeat("  ", a.depth) + a.name
	if a.name != a.profile && !strings.HasPrefix(a.name, a.profile+"-") {
		name += " (" + a.profile + ")"
	}
	stats := ""
	if a.turns > 0 {
		stats = fmt.Sprintf("%s  %4s in %4s out", count(a.turns, "turn"), compact(a.usage, a.usage.Input), compact(a.usage, a.usage.Output))
	}
	return liveRow{a: a, name: name, state: s.state(a), doing: s.doing(a, now), stats: stats}
}

// table holds the widths of the columns; one without room is 0.
type table struct{ width, name, state, doing, stats int }

// Widths below which a view leaves out what is not needed.
const (
	leastDoing = 12
	leastStats = 70
)

func measured(rows []liveRow, width int) table {
	t := table{width: width}
	stats := 0
	for i := range rows {
		r := &rows[i]
		t.name, t.state, stats = max(t.name, columns(r.name)), max(t.state, columns(r.state)), max(stats, columns(r.stats))
	}
	t.name = min(t.name, max(width*2/5, 1))
	t.state = min(t.state, max(width-t.name-2, 0))
	left := width - t.name - 2 - t.state - 2
	if width >= leastStats && left-2-stats >= leastDoing {
		t.stats = stats
		left -= stats + 2
	}
	if left >= leastDoing/2 {
		t.doing = left
	}
	return t
}

func (t *table) line(r *liveRow, l *looks) string {
	var b strings.Builder
	b.WriteString(padded(r.name, t.name))
	if t.state > 0 {
		state := cut(r.state, t.state)
		b.WriteString("  " + l.state(r.state, state) + strings.Repeat(" ", t.state-columns(state)))
	}
	if t.doing > 0 {
		b.WriteString("  " + padded(r.doing, t.doing))
	}
	if t.stats > 0 {
		fmt.Fprintf(&b, "  %*s", t.stats, r.stats)
	}
	return strings.TrimRight(b.String(), " ")
}
