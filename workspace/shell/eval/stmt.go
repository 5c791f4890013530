package eval

import (
	"context"

	"mvdan.cc/sh/v3/syntax"
)

// stmts executes statements one after the other and gives the status of the last.
func (sh *Shell) stmts(ctx context.Context, list []*syntax.Stmt) int {
	status := 0
	for _, s := range list {
		status = sh.stmt(ctx, s)
		if sh.flow != flowNone {
			break
		}
	}
	return status
}

// stmt executes one statement and sets $?.
func (sh *Shell) stmt(ctx context.Context, s *syntax.Stmt) int {
	if sh.over(ctx) {
		return 1
	}
	if sh.opts.set[optNoExec] {
		return 0
	}
	var status, answered int // the latter before a negation
	switch {
	case s.Background:
		status = sh.background(ctx, s)
	case s.Negated:
		sh.tolerant++
		status = sh.plain(ctx, s)
		sh.tolerant--
		answered = status
		if sh.flow == flowNone {
			if status == 0 {
				status = 1
			} else {
				status = 0
			}
		}
	default:
		status = sh.plain(ctx, s)
		if status != 0 && sh.flow == flowNone && sh.tolerant == 0 {
			sh.status = status
			sh.judge(ctx, s)
		}
		answered = status
	}
	if sh.flow < flowExit {
		sh.status = status
	}
	switch s.Cmd.(type) {
	case *syntax.BinaryCmd, *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause, *syntax.Block, *syntax.FuncDecl:
	default:
		if !s.Background {
			sh.pipestatus = append(sh.pipestatus[:0], answered)
		}
	}
	if sh.proc.waiting.Load() {
		sh.deliver(ctx)
	}
	return sh.status
}

// judge does what a failure of a statement leads to: the ERR trap, and the end of the
// shell under errexit. Statements whose parts were judged already lead to nothing.
func (sh *Shell) judge(ctx context.Context, s *syntax.Stmt) {
	switch cmd := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		if cmd.Op == syntax.AndStmt || cmd.Op == syntax.OrStmt {
			return
		}
	case *syntax.CallExpr, *syntax.DeclClause, *syntax.LetClause, *syntax.Subshell, *syntax.ArithmCmd, *syntax.TestClause, nil:
	default:
		if !sh.redirectFailed {
			return
		}
	}
	sh.redirectFailed = false
	status := sh.status
	sh.errTrap(ctx)
	if sh.flow == flowNone {
		sh.status = status
		if sh.opts.set[optErrExit] {
			sh.exit(status)
		}
	}
}

// plain executes a statement without its negation and its "&".
func (sh *Shell) plain(ctx context.Context, s *syntax.Stmt) int {
	if call, ok := s.Cmd.(*syntax.CallExpr); ok {
		return sh.simple(ctx, s, call)
	}
	if len(s.Redirs) == 0 {
		return sh.compound(ctx, s)
	}
	sh.line = int(s.Pos().Line()) + sh.offset
	passing := len(sh.passing)
	defer sh.closePassing(ctx, passing)
	undo, err := sh.redirect(ctx, s.Redirs)
	defer sh.restore(undo)
	if err != nil {
		sh.redirectFailed = true
		return sh.redirectError(ctx, err)
	}
	if s.Cmd == nil {
		return 0
	}
	return sh.compound(ctx, s)
}

// compound executes what is no simple command.
func (sh *Shell) compound(ctx context.Context, s *syntax.Stmt) int {
	switch cmd := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		if cmd.Op == syntax.AndStmt || cmd.Op == syntax.OrStmt {
			return sh.andOr(ctx, cmd)
		}
		sh.line = int(s.Position.Line()) + sh.offset
		return sh.pipeline(ctx, cmd)
	case *syntax.Block:
		return sh.stmts(ctx, cmd.Stmts)
	case *syntax.Subshell:
		sh.line = int(s.Position.Line()) + sh.offset
		return sh.subshellCmd(ctx, cmd)
	case *syntax.IfClause:
		return sh.ifClause(ctx, cmd)
	case *syntax.WhileClause:
		return sh.whileClause(ctx, cmd)
	case *syntax.ForClause:
		return sh.forClause(ctx, cmd)
	case *syntax.CaseClause:
		return sh.caseClause(ctx, cmd)
	case *syntax.ArithmCmd:
		return sh.arithmCmd(ctx, cmd)
	case *syntax.TestClause:
		return sh.testClause(ctx, cmd)
	case *syntax.FuncDecl:
		return sh.define(ctx, cmd)
	case *syntax.DeclClause:
		return sh.declClause(ctx, cmd)
	case *syntax.LetClause:
		return sh.letClause(ctx, cmd)
	case *syntax.TimeClause:
		return sh.timeClause(ctx, cmd)
	case *syntax.CoprocClause:
		return sh.coprocClause(ctx, cmd)
	}
	return 0
}

// andOr executes a list of && and ||. The tree leans to the left, as deep as the list is
// long, so it is walked in a loop.
func (sh *Shell) andOr(ctx context.Context, b *syntax.BinaryCmd) int {
	type link struct {
		op   syntax.BinCmdOperator
		stmt *syntax.Stmt
	}
	var space [8]link
	links := space[:0]
	first := b.X
	for {
		links = append(links, link{b.Op, b.Y})
		x, ok := bareBinary(first)
		if !ok || (x.Op != syntax.AndStmt && x.Op != syntax.OrStmt) {
			break
		}
		b, first = x, x.X
	}
	sh.tolerant++
	status := sh.stmt(ctx, first)
	for i := len(links) - 1; i >= 0 && sh.flow == flowNone; i-- {
		if (links[i].op == syntax.AndStmt) != (status == 0) {
			continue
		}
		if i == 0 {
			sh.tolerant--
			return sh.stmt(ctx, links[0].stmt)
		}
		status = sh.stmt(ctx, links[i].stmt)
	}
	sh.tolerant--
	return status
}

// bareBinary gives the binary command that a statement is and nothing else.
func bareBinary(s *syntax.Stmt) (*syntax.BinaryCmd, bool) {
	b, ok := s.Cmd.(*syntax.BinaryCmd)
	return b, ok && len(s.Redirs) == 0 && !s.Negated && !s.Background
}
