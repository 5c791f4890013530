package eval

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/expand"
)

// lines gives a text to the parser line by line, so that a line is executed before the next
// one is read.
type lines struct {
	sh     *Shell
	ctx    context.Context
	parser *syntax.Parser
	rest   string
	input  *input // when set, lines are read from it first
	added  int    // bytes at the end of rest that are not of the text
	deep   bool   // the text is long enough for the depth of the parser to matter

	since []byte // what the parser got since the last command that was complete
	begin int    // offset of that
	line  int    // lines before that
}

// Read implements [io.Reader].
func (l *lines) Read(p []byte) (int, error) {
	if l.deep && tooDeep() {
		return 0, errNesting
	}
	if l.rest == "" && l.input != nil {
		if err := l.fetch(); err != nil {
			return 0, err
		}
	}
	if l.rest == "" {
		return 0, io.EOF
	}
	line := l.rest[:min(len(l.rest), len(p))]
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i+1]
	}
	l.rest = l.rest[len(line):]
	l.since = append(l.since, line...)
	if l.sh.opts.set[optVerbose] && len(l.rest) >= l.added {
		l.sh.fd(2).write(l.ctx, []byte(line))
	}
	return copy(p, line), nil
}

// fetch reads one line of the input.
func (l *lines) fetch() error {
	if l.sh.prompt != nil && l.sh.proc.pid == firstPID {
		l.sh.prompt(l.parser.Incomplete())
	}
	var b []byte
	for {
		c, err := l.input.ReadByte()
		if err == io.EOF {
			if len(b) == 0 {
				l.input = nil
				// The end of a last line that has none.
				l.rest, l.added = "\n", 1
				return nil
			}
			break
		}
		if err != nil {
			return err
		}
		b = append(b, c)
		if c == '\n' {
			break
		}
		if len(b) > l.sh.budget.Script {
			return errScript
		}
	}
	l.rest = string(b)
	if err := checkNesting(l.rest, l.sh.budget.Nesting); err != nil {
		return err
	}
	return nil
}

// readText executes a text, one complete command after the other, as they are read. A text
// without any has the status 0.
func (sh *Shell) readText(ctx context.Context, text string) {
	if ran, _ := sh.consume(ctx, text, nil); !ran {
		sh.status = 0
	}
}

// readInput executes what standard input holds; commands read on from where the text was
// read to.
func (sh *Shell) readInput(ctx context.Context) {
	ran, wrong := sh.consume(ctx, "", sh.input(ctx, 0))
	for wrong && sh.prompt != nil && sh.flow == flowNone && !sh.over(ctx) {
		// Somebody is there to write the line anew.
		_, wrong = sh.consume(ctx, "", sh.input(ctx, 0))
	}
	if !ran {
		sh.status = 0
	}
}

// consume reads and executes. It says whether anything set $?, and whether an error of
// syntax ended the reading.
func (sh *Shell) consume(ctx context.Context, text string, in *input) (ran, wrong bool) {
	offset := sh.offset
	defer func() { sh.offset = offset }()
	for {
		r := sh.pass(ctx, text, in)
		ran = ran || r.ran
		if !r.again {
			return ran, r.wrong
		}
		text = r.rest
	}
}

// progress is how far a text was read.
type progress struct {
	ran   bool   // something set $?
	wrong bool   // an error of syntax ended it
	again bool   // a place had to be repaired for the parser; rest is to be read next
	rest  string // of again
}

// pass is consume up to a place that has to be repaired for the parser.
func (sh *Shell) pass(ctx context.Context, text string, in *input) (r progress) {
	if len(text) > sh.budget.Script {
		sh.syntaxError(ctx, errScript)
		return progress{ran: true, wrong: true}
	}
	if err := checkNesting(text, sh.budget.Nesting); err != nil {
		sh.syntaxError(ctx, err)
		return progress{ran: true, wrong: true}
	}
	p, give := sh.parser()
	defer give()
	whole := ended(text)
	l := &lines{sh: sh, ctx: ctx, parser: p, input: in, rest: whole, added: len(whole) - len(text), deep: in != nil || len(text) > shallow}
	if in != nil {
		l.rest, l.added = text, 0
	}
	var failed error
	var first *syntax.Stmt // of the line that failed
	for list, err := range p.InteractiveSeq(l) {
		if err != nil || failed != nil {
			// The parser gives an error twice and must not be stopped in between.
			if failed == nil {
				failed = err
				if len(list) > 0 {
					first = list[0]
				}
			}
			continue
		}
		if p.Incomplete() {
			continue
		}
		if len(sh.aliases) > 0 && sh.opt(shoptExpandAliases) {
			for _, s := range list {
				sh.expandAliases(s)
			}
		}
		for _, s := range list {
			r.ran = true
			sh.stmt(ctx, s)
			if sh.flow == flowDiscard {
				sh.flow = flowNone
				break
			}
			if sh.flow != flowNone {
				return progress{ran: true}
			}
		}
		if sh.opts.set[optOneCmd] && len(list) > 0 {
			sh.exit(sh.status)
			return progress{ran: true}
		}
		l.begin, l.line = l.begin+len(l.since), l.line+bytes.Count(l.since, []byte("\n"))
		l.since = l.since[:0]
	}
	if failed != nil {
		return sh.mend(ctx, l, text, failed, first, r)
	}
	return r
}

// mend goes on after an error of the parser: with the end of a here-document that has none,
// or with a text that is put into words which the parser knows. Else the error is reported.
func (sh *Shell) mend(ctx context.Context, l *lines, text string, err error, first *syntax.Stmt, r progress) progress {
	if doc, ok := unclosed(err, text); ok && !strings.HasSuffix(text, "\n"+doc+"\n") {
		// Bash takes the end of the text as the end of the document.
		sh.complain(ctx, "warning: here-document delimited by end-of-file (wanted `%s')", doc)
		start := 0
		if first != nil {
			start = int(first.Pos().Offset())
		} else if e, ok := err.(syntax.ParseError); ok {
			start = lineStart(text, int(e.Pos.Offset()))
		}
		before := strings.Count(text[:start], "\n")
		sh.offset += before
		ran, wrong := sh.consume(ctx, strings.TrimSuffix(text[start:], "\n")+"\n"+doc+"\n", nil)
		sh.offset -= before
		return progress{ran: r.ran || ran, wrong: wrong}
	}
	if mended, ok := expand.Repair(string(l.since), l.begin, err); ok {
		sh.offset += l.line
		return progress{ran: r.ran, again: true, rest: mended + l.rest}
	}
	if quoted, ok := quoteLet(string(l.since), l.begin, err); ok {
		sh.offset += l.line
		return progress{ran: r.ran, again: true, rest: quoted + l.rest}
	}
	sh.syntaxError(ctx, err)
	if sh.status == 1 && bytes.Count(l.since, []byte("\n")) == 1 {
		// A substitution that cannot be: only its line is lost.
		sh.offset += l.line + 1
		return progress{ran: true, again: true, rest: l.rest}
	}
	return progress{ran: true, wrong: true}
}

// letWord is a let that stands where a command begins.
var letWord = regexp.MustCompile(`(?:^|[;&|(){}!]|\b(?:then|do|else|if|elif|while|until))[ \t]*(let)(?:[ \t;]|$)`)

// quoteLet makes the let before the place at which the parser failed an ordinary command:
// the parser reads what follows it as expressions, bash as words and redirections.
func quoteLet(text string, base int, err error) (quoted string, ok bool) {
	e, is := err.(syntax.ParseError)
	if !is {
		return "", false
	}
	at := min(max(0, int(e.Pos.Offset())-base), len(text))
	from := lineStart(text, at)
	end := len(text)
	if i := strings.IndexByte(text[from:], '\n'); i >= 0 {
		end = from + i
	}
	all := letWord.FindAllStringSubmatchIndex(text[from:end], -1)
	for _, m := range slices.Backward(all) {
		if start := from + m[2]; start <= at {
			return text[:start] + `\` + text[start:], true
		}
	}
	return "", false
}

// ended gives a text so that its last line is complete.
func ended(text string) string {
	if strings.HasSuffix(text, "\\") || strings.HasSuffix(text, "\\\n") {
		return text + "\n\n"
	}
	return text + "\n"
}

// lineStart gives where the line of an offset begins.
func lineStart(text string, at int) int {
	at = min(at, len(text))
	return strings.LastIndexByte(text[:at], '\n') + 1
}
