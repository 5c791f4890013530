package scripted

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"text/template"
	"text/template/parse"

	"go.yaml.in/yaml/v3"
)

// maxText bounds what one template may write, in bytes: as much as one blob of the journal.
const maxText = 64 << 20

// text is a text of a script: plain, or a template.
type text struct {
	plain string
	value bool // the template is nothing but one {{ … jsonval }}
	place string
	tpl   *template.Template // nil: plain
	ready sync.Pool          // of *bound
}

// bound is a template whose functions read its frame.
type bound struct {
	tpl   *template.Template
	frame *frame
}

func (r *reader) text(n *yaml.Node, what string) *text {
	n = r.real(n)
	s := r.scalar(n, what)
	if !strings.Contains(s, "{{") {
		return &text{plain: s}
	}
	t := &text{place: fmt.Sprintf("%s:%d", r.file, n.Line)}
	tpl, err := template.New("text").Option("missingkey=error").Funcs(new(frame).functions()).Parse(s)
	if err != nil {
		r.fault(n, "%s: %s", what, strings.TrimPrefix(err.Error(), "template: "))
		return nil
	}
	t.tpl = tpl
	t.value = onlyValue(tpl.Tree)
	return t
}

// onlyValue says whether a template is one action that ends in jsonval, blanks aside.
func onlyValue(tree *parse.Tree) bool {
	found := false
	for _, n := range tree.Root.Nodes {
		switch n := n.(type) {
		case *parse.TextNode:
			if len(bytes.TrimSpace(n.Text)) > 0 {
				return false
			}
		case *parse.ActionNode:
			if found || len(n.Pipe.Decl) > 0 || len(n.Pipe.Cmds) == 0 {
				return false
			}
			last := n.Pipe.Cmds[len(n.Pipe.Cmds)-1]
			id, ok := last.Args[0].(*parse.IdentifierNode)
			if !ok || id.Ident != "jsonval" {
				return false
			}
			found = true
		default:
			return false
		}
	}
	return found
}

// render gives the text for one request.
func (t *text) render(f *frame) (string, error) {
	if t.tpl == nil {
		return t.plain, nil
	}
	b, _ := t.ready.Get().(*bound)
	if b == nil {
		tpl, err := t.tpl.Clone()
		if err != nil {
			return "", fmt.Errorf("%s: %w", t.place, err)
		}
		b = &bound{frame: new(frame)}
		b.tpl = tpl.Funcs(b.frame.functions())
	}
	*b.frame = *f
	var out limited
	err := b.tpl.Execute(&out, nil)
	f.drawn = b.frame.drawn
	*b.frame = frame{}
	t.ready.Put(b)
	if err != nil {
		return "", fmt.Errorf("%s: %s", t.place, strings.TrimPrefix(err.Error(), "template: "))
	}
	if t.value {
		return strings.TrimSpace(out.String()), nil
	}
	return out.String(), nil
}

// limited is a buffer with an upper bound.
type limited struct{ bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > maxText {
		return 0, fmt.Errorf("text is longer than %d bytes", maxText)
	}
	return l.Buffer.Write(p)
}
