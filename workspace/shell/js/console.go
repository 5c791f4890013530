package js

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dop251/goja"
)

// console is the state of the global console.
type console struct {
	indent string
	counts map[string]int
	timers map[string]time.Time
}

// write writes a text as lines.
func (c *console) write(r *Runtime, to io.Writer, text string) {
	if c.indent != "" {
		text = c.indent + strings.ReplaceAll(text, "\n", "\n"+c.indent)
	}
	_, _ = io.WriteString(to, text+"\n")
}

// newConsole makes the object console.
func (r *Runtime) newConsole() *goja.Object {
	o := r.vm.NewObject()
	r.console = console{counts: map[string]int{}, timers: map[string]time.Time{}}
	c := &r.console
	set := func(name string, f func(call goja.FunctionCall)) {
		r.set(o, name, r.function(name, 0, func(call goja.FunctionCall) goja.Value {
			f(call)
			return nil
		}))
	}
	say := func(to io.Writer) func(goja.FunctionCall) {
		return func(call goja.FunctionCall) { c.write(r, to, r.format(call.Arguments)) }
	}
	for _, name := range []string{"log", "info", "debug"} {
		set(name, say(r.o.Out))
	}
	for _, name := range []string{"error", "warn"} {
		set(name, say(r.o.Err))
	}
	set("trace", func(call goja.FunctionCall) {
		text := "Trace"
		if len(call.Arguments) > 0 {
			text += ": " + r.format(call.Arguments)
		}
		c.write(r, r.o.Err, text+"\n"+r.frames())
	})
	set("dir", func(call goja.FunctionCall) {
		n := r.newInspector()
		n.custom = false
		if options, ok := call.Argument(1).(*goja.Object); ok {
			n.setOptions(options)
		}
		c.write(r, r.o.Out, n.value(call.Argument(0), 0, false))
	})
	set("dirxml", say(r.o.Out))
	group := func(call goja.FunctionCall) {
		if len(call.Arguments) > 0 {
			c.write(r, r.o.Out, r.format(call.Arguments))
		}
		c.indent += "  "
	}
	set("group", group)
	set("groupCollapsed", group)
	set("groupEnd", func(goja.FunctionCall) { c.indent = c.indent[:max(0, len(c.indent)-2)] })
	set("assert", func(call goja.FunctionCall) {
		if call.Argument(0).ToBoolean() {
			return
		}
		args := call.Arguments[min(1, len(call.Arguments)):]
		text := "Assertion failed"
		if len(args) > 0 {
			if s, ok := args[0].(goja.String); ok {
				args = append([]goja.Value{r.vm.ToValue(text + ": " + s.String())}, args[1:]...)
			} else {
				args = append([]goja.Value{r.vm.ToValue(text + ":")}, args...)
			}
			text = r.format(args)
		}
		c.write(r, r.o.Err, text)
	})
	label := func(call goja.FunctionCall) string {
		if v := call.Argument(0); !goja.IsUndefined(v) {
			return v.String()
		}
		return "default"
	}
	set("count", func(call goja.FunctionCall) {
		l := label(call)
		c.counts[l]++
		c.write(r, r.o.Out, l+": "+strconv.Itoa(c.counts[l]))
	})
	set("countReset", func(call goja.FunctionCall) { delete(c.counts, label(call)) })
	set("time", func(call goja.FunctionCall) { c.timers[label(call)] = r.o.Now() })
	elapsed := func(call goja.FunctionCall, end bool) {
		l := label(call)
		began, ok := c.timers[l]
		if !ok {
			c.write(r, r.o.Err, "Warning: No such label '"+l+"' for console.time")
			return
		}
		text := l + ": " + durationText(r.o.Now().Sub(began))
		if len(call.Arguments) > 1 {
			text += " " + r.format(call.Arguments[1:])
		}
		if end {
			delete(c.timers, l)
		}
		c.write(r, r.o.Out, text)
	}
	set("timeEnd", func(call goja.FunctionCall) { elapsed(call, true) })
	set("timeLog", func(call goja.FunctionCall) { elapsed(call, false) })
	set("table", func(call goja.FunctionCall) {
		if text, ok := r.table(call.Argument(0), call.Argument(1)); ok {
			c.write(r, r.o.Out, text)
			return
		}
		c.write(r, r.o.Out, r.format(call.Arguments[:min(1, len(call.Arguments))]))
	})
	return o
}

// durationText shows a time as console.timeEnd does.
func durationText(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	switch {
	case ms >= 60_000:
		return strconv.FormatFloat(ms/60_000, 'f', 3, 64) + "m"
	case ms >= 1000:
		return strconv.FormatFloat(ms/1000, 'f', 3, 64) + "s"
	}
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(ms, 'f', 3, 64), "0"), ".") + "ms"
}

// row is a line of a table.
type row struct {
	index string
	cells map[string]string
	value string // of what is no object
}

// table shows the rows of an object or an array; false: it is no object.
func (r *Runtime) table(v, only goja.Value) (string, bool) {
	o, ok := v.(*goja.Object)
	if !ok {
		return "", false
	}
	n := r.newInspector()
	n.depth = 0
	index := "(index)"
	var rows []row
	var columns []string
	values := false
	add := func(name string, v goja.Value) {
		line := row{index: name, cells: map[string]string{}}
		item, ok := v.(*goja.Object)
		if _, f := goja.AssertFunction(v); !ok || f {
			line.value = n.value(v, 1, false)
			values = true
		} else {
			for _, k := range item.Keys() {
				if !slices.Contains(columns, k) {
					columns = append(columns, k)
				}
				line.cells[k] = n.value(item.Get(k), 1, false)
			}
		}
		rows = append(rows, line)
	}
	switch n.kindOf(o, o.ExportType()) {
	case "Map", "Set":
		index = "(iteration index)"
		isMap := n.kindOf(o, o.ExportType()) == "Map"
		each := r.in.setForEach
		if isMap {
			each = r.in.mapForEach
			columns = []string{"Key"}
		}
		must(each(o, r.vm.ToValue(func(c goja.FunctionCall) goja.Value {
			line := row{index: strconv.Itoa(len(rows)), cells: map[string]string{}, value: n.value(c.Argument(0), 1, false)}
			if isMap {
				line.cells["Key"] = n.value(c.Argument(1), 1, false)
			}
			values = true
			rows = append(rows, line)
			return nil
		})))
	default:
		for _, k := range o.Keys() {
			add(k, o.Get(k))
		}
	}
	if list, ok := only.(*goja.Object); ok {
		columns = nil
		for _, k := range list.Keys() {
			columns = append(columns, list.Get(k).String())
		}
	}
	head := append([]string{index}, columns...)
	if values {
		head = append(head, "Values")
	}
	var lines [][]string
	for _, line := range rows {
		cells := []string{line.index}
		for _, k := range columns {
			cells = append(cells, line.cells[k])
		}
		if values {
			cells = append(cells, line.value)
		}
		lines = append(lines, cells)
	}
	return drawTable(head, lines), true
}

// drawTable draws a table with its texts at the left of their columns.
func drawTable(head []string, lines [][]string) string {
	widths := make([]int, len(head))
	for i, h := range head {
		widths[i] = columnsOf(h) + 2
		for _, l := range lines {
			widths[i] = max(widths[i], columnsOf(l[i])+2)
		}
	}
	rule := func(left, middle, right string) string {
		parts := make([]string, len(widths))
		for i, w := range widths {
			parts[i] = strings.Repeat("─", w)
		}
		return left + strings.Join(parts, middle) + right
	}
	draw := func(cells []string) string {
		parts := make([]string, len(cells))
		for i, c := range cells {
			parts[i] = " " + c + strings.Repeat(" ", widths[i]-columnsOf(c)-1)
		}
		return "│" + strings.Join(parts, "│") + "│"
	}
	out := []string{rule("┌", "┬", "┐"), draw(head), rule("├", "┼", "┤")}
	for _, l := range lines {
		out = append(out, draw(l))
	}
	return strings.Join(append(out, rule("└", "┴", "┘")), "\n")
}
