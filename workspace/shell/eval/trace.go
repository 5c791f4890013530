package eval

import (
	"context"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/expand"
)

// trace writes the words of a command for set -x.
func (sh *Shell) trace(ctx context.Context, words []string) { sh.traceText(ctx, traceWords(words)) }

// traceText writes a line for set -x, after PS4 with its first character once for each
// level of substitution.
func (sh *Shell) traceText(ctx context.Context, text string) {
	ps4 := sh.vars.Get("PS4").Str
	if strings.ContainsAny(ps4, "$`\\") {
		status, on := sh.status, sh.opts.set[optXTrace]
		sh.opts.set[optXTrace] = false
		if s, err := sh.exp.Prompt(ctx, ps4); err == nil {
			ps4 = s
		}
		sh.opts.set[optXTrace] = on
		sh.status = status
	}
	if ps4 != "" {
		first := string([]rune(ps4)[0])
		ps4 = strings.Repeat(first, max(0, sh.traced)) + ps4
	}
	fd := 2
	if v := sh.vars.Get("BASH_XTRACEFD"); v.Set() {
		if n, err := strconv.Atoi(v.Str); err == nil && sh.fd(n) != nil {
			fd = n
		}
	}
	sh.fd(fd).write(ctx, []byte(ps4+text+"\n"))
}

// traceAssign writes an assignment that was made.
func (sh *Shell) traceAssign(ctx context.Context, a *syntax.Assign) {
	var b strings.Builder
	b.WriteString(a.Name.Value)
	switch {
	case a.Array != nil || a.Index != nil:
		b.Reset()
		printed := *a
		if err := syntax.NewPrinter().Print(&b, &syntax.CallExpr{Assigns: []*syntax.Assign{&printed}}); err != nil {
			return
		}
	case a.Append:
		b.WriteString("+=")
		if v, err := sh.exp.Value(ctx, a.Value); err == nil {
			b.WriteString(traceQuote(v))
		}
	default:
		b.WriteString("=")
		if s := sh.vars.Get(a.Name.Value).String(); s != "" {
			b.WriteString(traceQuote(s))
		}
	}
	sh.traceText(ctx, b.String())
}

func traceWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = traceQuote(w)
	}
	return strings.Join(quoted, " ")
}

// traceQuote quotes a word where it needs it.
func traceQuote(w string) string {
	if w == "" {
		return "''"
	}
	if strings.ContainsAny(w, " \t\n'\"\\|&;()<>!{}*[?]^$`") || w[0] == '#' || w[0] == '~' {
		return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	for _, c := range []byte(w) {
		if c < ' ' || c == 0x7f {
			return expand.QuoteValue(w)
		}
	}
	return w
}

// arithmText gives the text of an arithmetic expression.
func arithmText(x syntax.ArithmExpr) string {
	var b strings.Builder
	if err := syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, &syntax.ArithmCmd{X: x}); err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.TrimSuffix(strings.TrimPrefix(b.String(), "(("), "))"), "\\\n")
}
