package eval

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// round counts one iteration of a loop and looks whether the call has ended.
func (sh *Shell) round(ctx context.Context) bool {
	if err := sh.budget.Loop(); err != nil {
		sh.fatal(err)
		return false
	}
	return !sh.over(ctx)
}

// leaves takes a break or continue that has reached this loop. It says whether the loop
// ends.
func (sh *Shell) leaves() bool {
	switch sh.flow {
	case flowNone:
		return false
	case flowBreak, flowContinue:
		sh.levels--
		if sh.levels > 0 {
			return true
		}
		again := sh.flow == flowContinue
		sh.flow = flowNone
		return !again
	}
	return true
}

// whileClause executes while and until.
func (sh *Shell) whileClause(ctx context.Context, c *syntax.WhileClause) int {
	sh.loops++
	defer func() { sh.loops-- }()
	status := 0
	for sh.round(ctx) {
		answer := sh.condition(ctx, c.Cond)
		if sh.flow != flowNone {
			if sh.leaves() {
				break
			}
			continue
		}
		if (answer == 0) == c.Until {
			break
		}
		status = sh.stmts(ctx, c.Do)
		if sh.leaves() {
			break
		}
	}
	return sh.loopStatus(status)
}

// loopStatus gives the status of a loop: of its body, or of what left it.
func (sh *Shell) loopStatus(status int) int {
	if sh.flow != flowNone {
		return sh.status
	}
	return status
}

// forClause executes for and select.
func (sh *Shell) forClause(ctx context.Context, c *syntax.ForClause) int {
	if loop, ok := c.Loop.(*syntax.CStyleLoop); ok {
		return sh.arithmFor(ctx, c, loop)
	}
	w := c.Loop.(*syntax.WordIter)
	defer sh.closePassing(ctx, len(sh.passing))
	items := sh.params
	if w.InPos.IsValid() {
		sh.line = int(c.ForPos.Line()) + sh.offset
		var err error
		if items, err = sh.exp.Fields(ctx, w.Items...); err != nil || sh.flow != flowNone {
			return sh.expansionFailed(ctx, err)
		}
	}
	if c.Select {
		return sh.selectLoop(ctx, c, w.Name.Value, items)
	}
	head := &syntax.Stmt{Cmd: c, Position: c.ForPos}
	sh.loops++
	defer func() { sh.loops-- }()
	status := 0
	for _, item := range items {
		if !sh.round(ctx) {
			break
		}
		sh.line = int(c.ForPos.Line()) + sh.offset
		if sh.traps.has(sigDEBUG) {
			sh.running = head
			if !sh.debugTrap(ctx) {
				break
			}
		}
		if sh.opts.set[optXTrace] {
			sh.traceText(ctx, "for "+w.Name.Value+" in "+traceWords(items))
		}
		if err := sh.exp.SetLoop(ctx, w.Name.Value, item); err != nil {
			return sh.expansionFailed(ctx, err)
		}
		status = sh.stmts(ctx, c.Do)
		if sh.leaves() {
			break
		}
	}
	return sh.loopStatus(status)
}

// arithmFor executes for (( )).
func (sh *Shell) arithmFor(ctx context.Context, c *syntax.ForClause, loop *syntax.CStyleLoop) int {
	sh.loops++
	defer func() { sh.loops-- }()
	head := &syntax.Stmt{Cmd: c, Position: c.ForPos}
	value := func(x syntax.ArithmExpr) (int64, bool) {
		sh.line = int(c.ForPos.Line()) + sh.offset
		if x == nil {
			return 1, true
		}
		if sh.traps.has(sigDEBUG) {
			sh.running = head
			if !sh.debugTrap(ctx) {
				return 0, false
			}
		}
		n, err := sh.exp.Arithm(ctx, x)
		if err != nil || sh.flow != flowNone {
			sh.status = sh.arithmFailed(ctx, err, "((")
			return 0, false
		}
		if sh.opts.set[optXTrace] {
			sh.traceText(ctx, "(( "+arithmText(x)+" ))")
		}
		return n, true
	}
	if _, ok := value(loop.Init); !ok {
		return max(sh.status, 1)
	}
	status := 0
	for sh.round(ctx) {
		n, ok := value(loop.Cond)
		if !ok {
			return max(sh.status, 1)
		}
		if n == 0 {
			break
		}
		status = sh.stmts(ctx, c.Do)
		if sh.leaves() {
			break
		}
		if _, ok := value(loop.Post); !ok {
			return max(sh.status, 1)
		}
	}
	return sh.loopStatus(status)
}

// selectLoop executes select: the menu on standard error, the answer from standard input.
func (sh *Shell) selectLoop(ctx context.Context, c *syntax.ForClause, name string, items []string) int {
	if len(items) == 0 {
		return 0
	}
	sh.loops++
	defer func() { sh.loops-- }()
	status := 0
	menu := true
	for sh.round(ctx) {
		io := sh.stdio(ctx)
		if menu {
			writeMenu(io.streams.err, items)
		}
		prompt := "#? "
		if v := sh.vars.Get("PS3"); v.Set() {
			prompt = v.Str
		}
		io.streams.err.WriteString(prompt)
		line, ok := readLine(io.streams.in)
		if !ok {
			io.streams.out.WriteString("\n")
			return 1
		}
		menu = line == ""
		sh.vars.Put("REPLY", scalar(line))
		if line == "" {
			continue
		}
		choice := ""
		if n, err := strconv.Atoi(strings.TrimSpace(line)); err == nil && n >= 1 && n <= len(items) {
			choice = items[n-1]
		}
		if err := sh.exp.SetString(ctx, name, choice, false); err != nil {
			return sh.expansionFailed(ctx, err)
		}
		status = sh.stmts(ctx, c.Do)
		if sh.leaves() {
			break
		}
		menu = sh.vars.Get("REPLY").Str == ""
	}
	return sh.loopStatus(status)
}

// writeMenu prints the menu of select in columns, for a line of 80 characters.
func writeMenu(w *output, items []string) {
	longest := 0
	for _, item := range items {
		longest = max(longest, len([]rune(item)))
	}
	digits := len(strconv.Itoa(len(items)))
	width := longest + digits + 2
	columns := max(1, 80/(width+2))
	rows := (len(items) + columns - 1) / columns
	if rows == 1 {
		rows = len(items)
	}
	for r := range rows {
		for i := r; i < len(items); i += rows {
			text := fmt.Sprintf("%*d) %s", digits, i+1, items[i])
			w.WriteString(text)
			if i+rows < len(items) {
				w.WriteString(strings.Repeat(" ", max(1, width+2-len([]rune(text)))))
			}
		}
		w.WriteString("\n")
	}
}

// readLine reads a line without its newline; false is the end before any of it.
func readLine(in *input) (string, bool) {
	var b []byte
	for {
		c, err := in.ReadByte()
		if err != nil {
			return string(b), len(b) > 0
		}
		if c == '\n' {
			return string(b), true
		}
		b = append(b, c)
	}
}
