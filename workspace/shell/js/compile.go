package js

import (
	"errors"
	"fmt"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
)

// source is the text of a program.
type source struct {
	written  string // by its author
	compiled string
	prefix   int // bytes before the author's text in its first line
}

// maxDepth bounds the nesting of calls. Programs for Node meet their bound at about 11,000.
const maxDepth = 9000

// must is for programs of this package.
func must(v goja.Value, err error) goja.Value {
	if err != nil {
		panic(err)
	}
	return v
}

func (r *Runtime) callable(v goja.Value) goja.Callable {
	f, ok := goja.AssertFunction(v)
	if !ok {
		panic(r.vm.NewTypeError("The argument must be of type function. Received %s", received(v)))
	}
	return f
}

// compile compiles a source under a name. prefix and suffix are put around it, in its lines.
func (r *Runtime) compile(name, text, prefix, suffix string) (*goja.Program, error) {
	rewritten, err := rewrite(text)
	if m, ok := errors.AsType[*moduleError](err); ok {
		return nil, &syntaxError{name: name, line: m.line, text: m.Error(), source: text}
	}
	whole := prefix + rewritten + suffix
	r.sources[name] = source{text, whole, len(prefix)}
	if nesting(whole) > r.o.Limits.Nesting {
		return nil, &syntaxError{name: name, line: 1, text: fmt.Sprintf("the source is nested deeper than %d", r.o.Limits.Nesting)}
	}
	tree, err := parser.ParseFile(nil, name, whole, 0, parser.WithDisableSourceMaps)
	if err == nil {
		var p *goja.Program
		if p, err = goja.CompileAST(tree, false); err == nil {
			return p, nil
		}
	}
	return nil, newSyntaxError(name, text, len(prefix), err)
}
