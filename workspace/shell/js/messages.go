package js

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/dop251/goja"
)

var (
	ofUndefined = regexp.MustCompile(`^Cannot read property '(.*)' of undefined( or null)?$`)
	noMember    = regexp.MustCompile(`^Object has no member '(.*)'$`)
	numeric     = regexp.MustCompile(`^-?[\d.e+]+$`)
	notObject   = regexp.MustCompile(`(?s)^Value is not an object: (.*)$`)
)

// message gives the words of V8 for a message of the engine.
func (r *Runtime) message(m string, frames []frame) string {
	top := frame{}
	if len(frames) > 0 {
		top = frames[0]
	}
	before, after := r.around(top)
	switch {
	case ofUndefined.MatchString(m):
		return "Cannot read properties of " + nullOr(before) + " (reading '" + ofUndefined.FindStringSubmatch(m)[1] + "')"
	case noMember.MatchString(m):
		name := noMember.FindStringSubmatch(m)[1]
		if callee := calleeBefore(before); callee == name || strings.HasSuffix(callee, "."+name) || strings.HasSuffix(callee, "]") {
			return callee + " is not a function"
		}
		return "(intermediate value)." + name + " is not a function"
	case notObject.MatchString(m):
		return notAnObject(notObject.FindStringSubmatch(m)[1], top, before, after)
	case m == "Cannot convert undefined or null to object" && top.file != "":
		if name, ok := assignedTo(after); ok {
			return "Cannot set properties of " + nullOr(before) + " (setting '" + name + "')"
		}
	case m == "Cannot access a variable before initialization":
		return "Cannot access '" + wordAt(after) + "' before initialization"
	case m == "object is not iterable":
		switch callee := expressionAt(after); {
		case callee != "":
			return callee + " is not iterable"
		case strings.HasPrefix(after, "{}"):
			return "{} is not iterable"
		}
	case m == "Value is not object coercible":
		return "Cannot destructure value as it is undefined."
	case m == "Value is not a constructor":
		if name := expressionAt(strings.TrimPrefix(after, "new ")); name != "" {
			return name + " is not a constructor"
		}
	case strings.HasPrefix(m, "Class constructor cannot be invoked"):
		return "Class constructor " + calleeBefore(before) + " cannot be invoked without 'new'"
	case m == "Malformed URI":
		return "URI malformed"
	case m == "No initial value" || m == "Reduce of empty array with no initial value":
		return "Reduce of empty array with no initial value"
	case m == "toFixed() precision must be between 0 and 100":
		return "toFixed() digits argument must be between 0 and 100"
	case strings.HasPrefix(m, "Cannot convert ") && strings.HasSuffix(m, " to a BigInt") && top.file == "":
		if n := strings.TrimSuffix(strings.TrimPrefix(m, "Cannot convert "), " to a BigInt"); numeric.MatchString(n) {
			return "The number " + n + " cannot be converted to a BigInt because it is not an integer"
		}
	}
	return m
}

// nullOr says null when the text before ends with it, else undefined: the engine does not
// tell them apart.
func nullOr(before string) string {
	if strings.HasSuffix(strings.TrimRight(before, ".?"), "null") {
		return "null"
	}
	return "undefined"
}

func notAnObject(value string, top frame, before, after string) string {
	switch {
	case top.file == "" && (top.name == "Map" || top.name == "WeakMap" || top.name == "fromEntries"):
		return "Iterator value " + value + " is not an entry object"
	case top.file == "":
		return value + " is not a function"
	case strings.HasPrefix(after, "new "):
		if name := expressionAt(after[4:]); name != "" {
			return name + " is not a constructor"
		}
	case strings.HasPrefix(after, "in "):
		return "Cannot use 'in' operator to search for a key in " + value
	case strings.HasPrefix(after, "instanceof "):
		return "Right-hand side of 'instanceof' is not callable"
	}
	if callee := calleeBefore(before); callee != "" {
		return callee + " is not a function"
	}
	return value + " is not a function"
}

// around gives the line before and after the place of a frame.
func (r *Runtime) around(f frame) (before, after string) {
	s, ok := r.sources[f.file]
	if !ok || f.line < 1 {
		return "", ""
	}
	lines := strings.Split(s.compiled, "\n")
	if f.line > len(lines) {
		return "", ""
	}
	line := lines[f.line-1]
	at := max(0, min(f.column-1, len(line)))
	before = line[:at]
	if f.line == 1 && len(before) >= s.prefix {
		before = before[s.prefix:]
	}
	return before, line[at:]
}

func isWordByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// calleeBefore gives the chain of names that ends a text: the a.b of "x = a.b". Arguments
// within are shown as (...), as V8 does.
func calleeBefore(s string) string {
	s = strings.TrimSuffix(strings.TrimRight(s, " "), "?.")
	out := ""
	for i := len(s); i > 0; {
		c := s[i-1]
		switch {
		case isWordByte(c):
			j := i
			for j > 0 && isWordByte(s[j-1]) {
				j--
			}
			out = s[j:i] + out
			i = j
			if i == 0 || s[i-1] != '.' {
				return out
			}
		case c == '.':
			out = "." + out
			i--
			if i > 0 && s[i-1] == '?' {
				out = "?" + out
				i--
			}
		case c == ')' || c == ']':
			j := openingOf(s, i-1)
			if j < 0 {
				return out
			}
			if c == ']' {
				out = s[j:i] + out
			} else if j > 0 && (isWordByte(s[j-1]) || s[j-1] == ')' || s[j-1] == ']') {
				out = "(...)" + out
			} else {
				return "(intermediate value)" + out
			}
			i = j
		case c == '"' || c == '\'' || c == '`':
			j := strings.LastIndexByte(s[:i-1], c)
			if j < 0 {
				return out
			}
			return `"` + s[j+1:i-1] + `"` + out
		default:
			return strings.TrimPrefix(out, ".")
		}
	}
	return out
}

// openingOf gives the index of the bracket that one at i closes, -1 when it is not there.
func openingOf(s string, i int) int {
	depth := 0
	for ; i >= 0; i-- {
		switch s[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// expressionAt gives the chain of names that a text begins with.
func expressionAt(s string) string {
	i := 0
	for i < len(s) && (isWordByte(s[i]) || s[i] == '.' || s[i] == '?' && i+1 < len(s) && s[i+1] == '.') {
		i++
	}
	return strings.TrimRight(s[:i], ".?")
}

// wordAt gives the name that a text begins with.
func wordAt(s string) string {
	i := 0
	for i < len(s) && isWordByte(s[i]) {
		i++
	}
	return s[:i]
}

var assignment = regexp.MustCompile(`^(?:\.?([A-Za-z_$][\w$]*)|\[\s*(?:'([^']*)'|"([^"]*)"|(\d+))\s*\])\s*[-+*/|&?]*=`)

// assignedTo gives the name of the property that is assigned to at a place.
func assignedTo(after string) (string, bool) {
	if m := assignment.FindStringSubmatch(after); m != nil {
		return m[1] + m[2] + m[3] + m[4], true
	}
	return "", false
}

// received says what an argument was, as Node's messages do.
func received(v goja.Value) string {
	switch {
	case v == nil || goja.IsUndefined(v):
		return "undefined"
	case goja.IsNull(v):
		return "null"
	}
	if o, ok := v.(*goja.Object); ok {
		if _, ok := goja.AssertFunction(o); ok {
			return "function " + str(o.Get("name"))
		}
		if c, ok := o.Get("constructor").(*goja.Object); ok {
			if name := str(c.Get("name")); name != "" {
				return "an instance of " + name
			}
		}
		return "an object"
	}
	switch x := v.Export().(type) {
	case string:
		if len(x) > 25 {
			x = x[:25] + "..."
		}
		return "type string (" + quote(x) + ")"
	case bool:
		return fmt.Sprintf("type boolean (%v)", x)
	case int64, float64:
		return "type number (" + v.String() + ")"
	}
	return "type " + v.ExportType().String() + " (" + v.String() + ")"
}
