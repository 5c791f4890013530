package js

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// frame is one call of a stack.
type frame struct {
	name   string // of the function, may be ""
	file   string // "" for one of the engine
	line   int
	column int
}

var frameText = regexp.MustCompile(`^(?:(.*) \()?(.*?):(\d+):(\d+)\(\d+\)\)?$`)

func parseFrames(s string) []frame {
	var list []frame
	for line := range strings.SplitSeq(strings.TrimRight(s, "\n"), "\n\tat ") {
		if line == "" {
			continue
		}
		m := frameText.FindStringSubmatch(line)
		if m == nil {
			list = append(list, frame{name: strings.TrimSuffix(line, " (native)")})
			continue
		}
		row, _ := strconv.Atoi(m[3])
		column, _ := strconv.Atoi(m[4])
		list = append(list, frame{m[1], m[2], row, column})
	}
	return list
}

// maxFrames is how many calls a stack shows, as in Node.
const maxFrames = 10

// stackText writes a stack as V8 does.
func (r *Runtime) stackText(head string, frames []frame) string {
	text := head
	shown := 0
	for _, f := range frames {
		if f.file == trampolineName || shown == maxFrames || strings.HasPrefix(f.name, "github.com/") || f.file == "" && f.name == "native" {
			continue
		}
		shown++
		if text != "" {
			text += "\n"
		}
		text += "    at " + r.frameText(f)
	}
	return text
}

func (r *Runtime) frameText(f frame) string {
	if f.file == "" {
		return f.name + " (<anonymous>)"
	}
	at := fmt.Sprintf("%s:%d:%d", f.file, f.line, r.column(f))
	if f.name == "" {
		return at
	}
	return f.name + " (" + at + ")"
}

// column gives the column of a frame in what the author wrote. The engine points at the
// bracket of a call, V8 at the name before it.
func (r *Runtime) column(f frame) int {
	if before, after := r.around(f); strings.HasPrefix(after, "(") {
		for i := len(before); i > 0 && isWordByte(before[i-1]); i-- {
			f.column--
		}
	}
	if f.line == 1 {
		return max(1, f.column-r.sources[f.file].prefix)
	}
	return f.column
}

// frames gives the stack of now.
func (r *Runtime) frames() string {
	var list []frame
	for _, f := range r.vm.CaptureCallStack(0, nil) {
		p := f.Position()
		name := f.FuncName()
		if name == "<anonymous>" {
			name = ""
		}
		list = append(list, frame{name, p.Filename, p.Line, p.Column})
	}
	return r.stackText("", list)
}

// where shows the line that an error comes from.
func (r *Runtime) where(v goja.Value) string {
	o, ok := v.(*goja.Object)
	if !ok || !isError(v) {
		return ""
	}
	for line := range strings.SplitSeq(str(o.Get("stack")), "\n") {
		at, ok := strings.CutPrefix(line, "    at ")
		if !ok {
			continue
		}
		if i := strings.LastIndexByte(at, '('); i >= 0 {
			at = strings.TrimSuffix(at[i+1:], ")")
		}
		parts := strings.Split(at, ":")
		if len(parts) < 3 {
			continue
		}
		name := strings.Join(parts[:len(parts)-2], ":")
		s, ok := r.sources[name]
		if !ok || strings.HasPrefix(name, "node:") {
			continue
		}
		row, _ := strconv.Atoi(parts[len(parts)-2])
		column, _ := strconv.Atoi(parts[len(parts)-1])
		return showLine(name, s.written, row, column) + "\n"
	}
	return ""
}

// str gives the text of a value that should be a string.
func str(v goja.Value) string {
	if v == nil || goja.IsUndefined(v) {
		return ""
	}
	return v.String()
}
