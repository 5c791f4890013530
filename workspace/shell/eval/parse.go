package eval

import (
	"context"
	"io"
	"strings"

	"mvdan.cc/sh/v3/syntax"
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
	if !sh.consume(ctx, text, nil) {
		sh.status = 0
	}
}

// readInput executes what standard input holds; commands read on from where the text was
// read to.
func (sh *Shell) readInput(ctx context.Context) {
	if !sh.consume(ctx, "", sh.input(ctx, 0)) {
		sh.status = 0
	}
}

// consume reads and executes. It says whether anything set $?.
func (sh *Shell) consume(ctx context.Context, text string, in *input) (ran bool) {
	if len(text) > sh.budget.Script {
		sh.syntaxError(ctx, errScript)
		return true
	}
	if err := checkNesting(text, sh.budget.Nesting); err != nil {
		sh.syntaxError(ctx, err)
		return true
	}
	p, give := sh.parser()
	defer give()
	whole := ended(text)
	l := &lines{sh: sh, ctx: ctx, parser: p, input: in, rest: whole, added: len(whole) - len(text), deep: in != nil || len(text) > shallow}
	if in != nil {
		l.rest, l.added = "", 0
	}
	for list, err := range p.InteractiveSeq(l) {
		if err != nil {
			if doc, ok := unclosed(err, text); ok {
				// Bash takes the end of the text as the end of the document.
				sh.complain(ctx, "warning: here-document delimited by end-of-file (wanted `%s')", doc)
				start := 0
				if len(list) > 0 && list[0] != nil {
					start = int(list[0].Pos().Offset())
				} else if e, ok := err.(syntax.ParseError); ok {
					start = lineStart(text, int(e.Pos.Offset()))
				}
				before := strings.Count(text[:start], "\n")
				sh.offset += before
				ran = sh.consume(ctx, strings.TrimSuffix(text[start:], "\n")+"\n"+doc+"\n", nil)
				sh.offset -= before
				return ran
			}
			sh.syntaxError(ctx, err)
			return true
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
			ran = true
			sh.stmt(ctx, s)
			if sh.flow == flowDiscard {
				sh.flow = flowNone
				break
			}
			if sh.flow != flowNone {
				return true
			}
		}
		if sh.opts.set[optOneCmd] && len(list) > 0 {
			sh.exit(sh.status)
			return true
		}
	}
	return ran
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
