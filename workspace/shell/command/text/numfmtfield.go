package text

import (
	"fmt"
	"math"
	"strings"
)

// line converts the fields of a line. With an error the line stays as it is from there on.
func (f *formatter) line(line string) (string, error) {
	var out strings.Builder
	var first error
	for field := 1; ; field++ {
		text, rest, more := f.nextField(line)
		if f.includes(field) {
			converted, err := f.field(text, field)
			if err != nil && first == nil {
				first = err
			}
			text = converted
		}
		out.WriteString(text)
		if !more {
			return out.String(), first
		}
		if f.delimiter < 0 {
			out.WriteByte(' ')
		} else {
			out.WriteByte(byte(f.delimiter))
		}
		line = rest
	}
}

// nextField takes a field off; blanks before it belong to it.
func (f *formatter) nextField(line string) (field, rest string, more bool) {
	if f.delimiter >= 0 {
		return strings.Cut(line, string([]byte{byte(f.delimiter)}))
	}
	start := len(line) - len(strings.TrimLeft(line, " \t\n"))
	i := strings.IndexAny(line[start:], " \t\n")
	if i < 0 {
		return line, "", false
	}
	return line[:start+i], line[start+i+1:], true
}

func (f *formatter) includes(field int) bool {
	for _, in := range f.fields {
		if field >= in.from && field <= in.to {
			return true
		}
	}
	return false
}

func (f *formatter) field(text string, field int) (string, error) {
	number := strings.TrimLeft(text, " \t")
	padding := f.padding
	if f.autoPad && (len(number) < len(text) || field > 1) {
		padding = len(text)
	}
	number = strings.TrimRight(number, " \t")
	if len(number) > len(f.suffix) {
		number = strings.TrimSuffix(number, f.suffix)
	}
	v, decimals, err := f.parse(number)
	if err != nil {
		return text, err
	}
	if f.fromUnit != 1 || f.toUnit != 1 {
		v = v * f.fromUnit / f.toUnit
	}
	const most = 1e27 // numbers beyond it have no exact form here
	if f.to == "none" && math.Abs(v) >= most {
		return text, fmt.Errorf("value too large to be printed: '%g' (consider using --to)", v)
	}
	out := f.write(v, decimals) + f.suffix
	if f.zeros && padding > 0 {
		sign := ""
		if strings.HasPrefix(out, "-") {
			sign, out = "-", out[1:]
		}
		out = sign + strings.Repeat("0", max(0, padding-len(out)-len(sign))) + out
	}
	missing := max(padding, -padding) - textWidth(out)
	switch {
	case missing > 0 && padding > 0:
		out = strings.Repeat(" ", missing) + out
	case missing > 0:
		out += strings.Repeat(" ", missing)
	}
	return f.prefix + out + f.postfix, nil
}
