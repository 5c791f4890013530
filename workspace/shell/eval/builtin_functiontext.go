package eval

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// functionText gives a function as declare -f and type print it, without the last newline.
func functionText(name string, f *function) string {
	p := lister{printer: syntax.NewPrinter()}
	p.out.WriteString(name + " () \n")
	p.function(f.decl.Body)
	return p.out.String()
}

// lister writes commands in the layout of bash: one statement a line, four columns a level.
type lister struct {
	out     strings.Builder
	printer *syntax.Printer
	depth   int
	pending []*syntax.Redirect // here-documents whose bodies follow at the end of the line
	ended   bool               // a here-document in a pipeline has taken the place of the semicolon
}

func (p *lister) write(parts ...string) {
	for _, part := range parts {
		p.out.WriteString(part)
	}
}

func (p *lister) newline() {
	p.write("\n", strings.Repeat("    ", p.depth))
}

// node writes a part of the tree as the printer of the library does.
func (p *lister) node(n syntax.Node) {
	var b strings.Builder
	if p.printer.Print(&b, n) == nil {
		p.write(strings.TrimRight(b.String(), "\n"))
	}
}

// function writes the body of a function, a group even where it was none.
func (p *lister) function(body *syntax.Stmt) {
	list := []*syntax.Stmt{body}
	block, isBlock := body.Cmd.(*syntax.Block)
	if isBlock {
		list = block.Stmts
	}
	p.write(strings.Repeat("    ", p.depth), "{ ")
	p.body(list, "")
	p.newline()
	p.write("}")
	if isBlock {
		p.redirects(body.Redirs)
	}
}

// body writes statements one level deeper, each on a line; end follows the last one.
func (p *lister) body(list []*syntax.Stmt, end string) {
	p.depth++
	p.newline()
	p.stmts(list, end)
	p.depth--
}

// stmts writes statements with what separates them.
func (p *lister) stmts(list []*syntax.Stmt, end string) {
	for i, s := range list {
		p.ended = false
		p.stmt(s)
		last := i == len(list)-1
		switch {
		case s.Background && last:
			p.write(" &")
			p.documents()
		case s.Background:
			p.write(" & ")
		case len(p.pending) > 0:
			p.documents()
			if !last {
				p.newline()
			}
		case p.ended && !last:
			p.newline()
		case p.ended:
		case last:
			p.write(end)
		default:
			p.write(";")
			p.newline()
		}
	}
}

// documents writes the bodies of the here-documents of the line.
func (p *lister) documents() {
	for _, r := range p.pending {
		p.write("\n")
		if r.Hdoc != nil {
			p.document(r)
		}
		p.write(strings.Trim(sourceOf(r.Word), `'"\`), "\n")
	}
	p.pending = nil
}

// document writes the body of a here-document; the tabs of <<- are gone since it was read.
func (p *lister) document(r *syntax.Redirect) {
	var b strings.Builder
	if p.printer.Print(&b, r.Hdoc) != nil {
		return
	}
	whole := true
	for line := range strings.Lines(b.String()) {
		if r.Op == syntax.DashHdoc {
			line = strings.TrimLeft(line, "\t")
		}
		p.write(line)
		whole = line == "" || strings.HasSuffix(line, "\n")
	}
	if !whole {
		p.write("\n")
	}
}

func (p *lister) stmt(s *syntax.Stmt) {
	if s.Negated {
		p.write("! ")
	}
	if s.Cmd != nil {
		p.command(s.Cmd)
	}
	redirects := s.Redirs
	if s.Cmd == nil && len(redirects) > 0 {
		p.redirect(redirects[0])
		redirects = redirects[1:]
	}
	p.redirects(redirects)
}

func (p *lister) redirects(list []*syntax.Redirect) {
	for _, r := range list {
		p.write(" ")
		p.redirect(r)
	}
}

func (p *lister) redirect(r *syntax.Redirect) {
	if r.N != nil {
		p.write(r.N.Value)
	}
	op := r.Op.String()
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		p.write(op)
		p.node(r.Word)
		p.pending = append(p.pending, r)
		return
	case syntax.DplOut, syntax.DplIn:
		if r.N == nil {
			p.write(map[bool]string{true: "1", false: "0"}[r.Op == syntax.DplOut])
		}
		p.write(op)
	default:
		p.write(op, " ")
	}
	p.word(r.Word)
}

func (p *lister) words(words []*syntax.Word) {
	for i, w := range words {
		if i > 0 {
			p.write(" ")
		}
		p.word(w)
	}
}

func (p *lister) command(cmd syntax.Command) {
	switch c := cmd.(type) {
	case *syntax.CallExpr:
		for i, a := range c.Assigns {
			if i > 0 {
				p.write(" ")
			}
			p.node(a)
		}
		if len(c.Assigns) > 0 && len(c.Args) > 0 {
			p.write(" ")
		}
		p.words(c.Args)
	case *syntax.BinaryCmd:
		p.binary(c)
	case *syntax.IfClause:
		p.ifClause(c)
	case *syntax.WhileClause:
		p.write(map[bool]string{true: "until ", false: "while "}[c.Until])
		p.stmts(c.Cond, "")
		p.write("; do")
		p.body(c.Do, ";")
		p.newline()
		p.write("done")
	case *syntax.ForClause:
		p.forClause(c)
	case *syntax.CaseClause:
		p.caseClause(c)
	case *syntax.Subshell:
		p.write("( ")
		p.stmts(c.Stmts, "")
		p.write(" )")
	case *syntax.Block:
		p.write("{ ")
		p.body(c.Stmts, "")
		p.newline()
		p.write("}")
	case *syntax.FuncDecl:
		p.write("function ", c.Name.Value, " () \n")
		p.function(c.Body)
	case *syntax.TimeClause:
		p.write("time ")
		if c.PosixFormat {
			p.write("-p ")
		}
		if c.Stmt != nil {
			p.stmt(c.Stmt)
		}
	case *syntax.ArithmCmd:
		p.write("((")
		p.gap(c.Left.Offset()+2, c.X.Pos().Offset())
		p.arithm(c.X)
		p.gap(c.X.End().Offset(), c.Right.Offset())
		p.write("))")
	case *syntax.TestClause:
		p.write("[[ ")
		p.condition(c.X)
		p.write(" ]]")
	case *syntax.CoprocClause:
		p.write("coproc ")
		if c.Name != nil {
			p.node(c.Name)
		} else {
			p.write("COPROC")
		}
		p.write(" ")
		p.stmt(c.Stmt)
	default:
		p.node(&syntax.Stmt{Cmd: c})
	}
}

func (p *lister) binary(c *syntax.BinaryCmd) {
	p.stmt(c.X)
	switch {
	case c.Op == syntax.PipeAll:
		p.write(" 2>&1 | ")
	case len(p.pending) > 0:
		p.write(" ", c.Op.String())
		p.documents()
		p.write("  ")
		p.ended = true
	default:
		p.write(" ", c.Op.String(), " ")
	}
	p.stmt(c.Y)
}

// ifClause writes an if; what bash has read as elif it prints as an if inside else.
func (p *lister) ifClause(c *syntax.IfClause) {
	p.write("if ")
	p.stmts(c.Cond, "")
	p.write("; then")
	p.body(c.Then, ";")
	p.newline()
	switch other := c.Else; {
	case other == nil:
	case len(other.Cond) == 0:
		p.write("else")
		p.body(other.Then, ";")
		p.newline()
	default:
		p.write("else")
		p.depth++
		p.newline()
		p.ifClause(other)
		p.write(";")
		p.depth--
		p.newline()
	}
	p.write("fi")
}

func (p *lister) forClause(c *syntax.ForClause) {
	word := "for "
	if c.Select {
		word = "select "
	}
	p.write(word)
	switch loop := c.Loop.(type) {
	case *syntax.WordIter:
		p.write(loop.Name.Value, " in ")
		if loop.InPos.IsValid() {
			p.words(loop.Items)
		} else {
			p.write(`"$@"`)
		}
		p.write(";")
	case *syntax.CStyleLoop:
		p.write("((")
		for i, x := range []syntax.ArithmExpr{loop.Init, loop.Cond, loop.Post} {
			if i > 0 {
				p.write("; ")
			}
			if x == nil {
				p.write("1")
			}
			p.arithm(x)
		}
		p.write("))")
	}
	p.newline()
	p.write("do")
	p.body(c.Do, ";")
	p.newline()
	p.write("done")
}

func (p *lister) caseClause(c *syntax.CaseClause) {
	p.write("case ")
	p.word(c.Word)
	p.write(" in ")
	p.depth++
	for _, item := range c.Items {
		p.newline()
		for i, w := range item.Patterns {
			if i > 0 {
				p.write(" | ")
			}
			p.word(w)
		}
		p.write(")")
		if len(item.Stmts) > 0 {
			p.body(item.Stmts, "")
		} else {
			p.write("\n")
		}
		p.newline()
		p.write(item.Op.String())
	}
	p.depth--
	p.newline()
	p.write("esac")
}
