package js

import (
	"fmt"
	"strings"
	"unicode"
)

// expandRegexLiteral expands the properties of Unicode in a literal with the flag u, which
// the engine does not know.
func expandRegexLiteral(literal string) (string, bool) {
	end := strings.LastIndexByte(literal, '/')
	if end <= 0 {
		return "", false
	}
	pattern, flags := literal[1:end], literal[end+1:]
	expanded, changed := expandProperties(pattern, flags)
	return "/" + expanded + "/" + flags, changed
}

// expandProperties expands \p{...} and \P{...} of a pattern to the ranges that they name. A
// name that is not known stays, and the compiler refuses it.
func expandProperties(pattern, flags string) (string, bool) {
	if !strings.ContainsAny(flags, "uv") || !strings.Contains(pattern, `\p{`) && !strings.Contains(pattern, `\P{`) {
		return pattern, false
	}
	var b strings.Builder
	inClass := false
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case c == '\\' && i+2 < len(pattern) && pattern[i+1]|0x20 == 'p' && pattern[i+2] == '{':
			end := strings.IndexByte(pattern[i:], '}')
			table := property(pattern[i+3 : max(i+3, i+end)])
			if end < 0 || table == nil {
				return pattern, false
			}
			b.WriteString(ranges(table, pattern[i+1] == 'P', inClass))
			i += end
			continue
		case c == '\\' && i+1 < len(pattern):
			b.WriteByte(c)
			i++
			c = pattern[i]
		case c == '[':
			inClass = true
		case c == ']':
			inClass = false
		}
		b.WriteByte(c)
	}
	return b.String(), true
}

var longCategories = map[string]string{
	"Letter": "L", "Lowercase_Letter": "Ll", "Uppercase_Letter": "Lu", "Titlecase_Letter": "Lt", "Modifier_Letter": "Lm", "Other_Letter": "Lo",
	"Mark": "M", "Number": "N", "Decimal_Number": "Nd", "Punctuation": "P", "Symbol": "S", "Separator": "Z", "Space_Separator": "Zs", "Other": "C",
	"Currency_Symbol": "Sc", "Math_Symbol": "Sm", "Control": "Cc", "Alphabetic": "L", "Alpha": "L", "Lowercase": "Ll", "Uppercase": "Lu",
	"Emoji": "So", "Emoji_Presentation": "So", "Extended_Pictographic": "So",
}

// property gives the table of a property, nil when its name is not known.
func property(name string) *unicode.RangeTable {
	for _, prefix := range []string{"Script=", "sc=", "Script_Extensions=", "scx=", "General_Category=", "gc="} {
		name = strings.TrimPrefix(name, prefix)
	}
	if short, ok := longCategories[name]; ok {
		name = short
	}
	if name == "White_Space" {
		return unicode.White_Space
	}
	if t := unicode.Categories[name]; t != nil {
		return t
	}
	return unicode.Scripts[name]
}

// ranges writes a table as a class, or as what stands within one.
func ranges(t *unicode.RangeTable, negated, inClass bool) string {
	var b strings.Builder
	next := rune(0) // the first rune that was not looked at, for what is negated
	write := func(lo, hi rune) {
		if lo <= hi {
			fmt.Fprintf(&b, `\u{%x}-\u{%x}`, lo, hi)
		}
	}
	each := func(lo, hi, stride rune) {
		if stride != 1 {
			for r := lo; r <= hi; r += stride {
				if negated {
					write(next, r-1)
					next = r + 1
				} else {
					write(r, r)
				}
			}
			return
		}
		if negated {
			write(next, lo-1)
			next = hi + 1
		} else {
			write(lo, hi)
		}
	}
	for _, r := range t.R16 {
		each(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	for _, r := range t.R32 {
		each(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	if negated {
		write(next, unicode.MaxRune)
	}
	if inClass {
		return b.String()
	}
	return "[" + b.String() + "]"
}
