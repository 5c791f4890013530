package jq

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// words is an error in the words of jq, which begin as jq has them.
type words string

func (w words) Error() string { return string(w) }

func worded(format string, args ...any) error { return words(fmt.Sprintf(format, args...)) }

// rule turns a message of the engine into the one of jq.
type rule struct {
	from *regexp.Regexp
	to   string // with $1, $2
}

// value matches a value as the engine shows it: null, or a type and the text in brackets.
const value = `(null|(?:boolean|number|string|array|object) \((?s:.*?)\))`

func ruleOf(from, to string) rule { return rule{regexp.MustCompile(`^(?s:` + from + `)$`), to} }

// rules is tried in order. They are constants of the program, never changed.
var rules = []rule{
	ruleOf(`cannot iterate over: `+value, "Cannot iterate over $1"),
	ruleOf(`cannot add: `+value+` and `+value, "$1 and $2 cannot be added"),
	ruleOf(`cannot subtract: `+value+` and `+value, "$1 and $2 cannot be subtracted"),
	ruleOf(`cannot multiply: `+value+` and `+value, "$1 and $2 cannot be multiplied"),
	ruleOf(`cannot divide: `+value+` and `+value, "$1 and $2 cannot be divided"),
	ruleOf(`cannot modulo: `+value+` and `+value, "$1 and $2 cannot be divided (remainder)"),
	ruleOf(`cannot divide `+value+` by: `+value, "$1 and $2 cannot be divided because the divisor is zero"),
	ruleOf(`cannot modulo `+value+` by: `+value, "$1 and $2 cannot be divided (remainder) because the divisor is zero"),
	ruleOf(`cannot negate: `+value, "$1 cannot be negated"),
	ruleOf(`length cannot be applied to: `+value, "$1 has no length"),
	ruleOf(`keys cannot be applied to: `+value, "$1 has no keys"),
	ruleOf(`utf8bytelength cannot be applied to: `+value, "$1 only strings have UTF-8 byte length"),
	ruleOf(`(startswith|endswith)\(.*\) cannot be applied to: .*`, "$1() requires string inputs"),
	ruleOf(`split\(.*\) cannot be applied to: .*`, "split input and separator must be strings"),
	ruleOf(`(?:explode|ascii_downcase|ascii_upcase) cannot be applied to: .*`, "explode input must be a string"),
	ruleOf(`implode cannot be applied to: .*`, "implode input must be an array"),
	ruleOf(`(?:trim|ltrim|rtrim) cannot be applied to: `+value, "$1 cannot be trimmed"),
	ruleOf(`(?:test|match|capture|scan|split|splits|sub|gsub|_match)\(.*\) cannot be applied to: (number|array|object|null|boolean)(.*)`, "$1$2 cannot be matched, as it is not a string"),
	ruleOf(`(?:test|match|capture|scan|split|splits|sub|gsub|_match)\((.*); .*\) cannot be applied to: string.*`, "$1 cannot be matched, as it is not a string"),
	ruleOf(`invalid regular expression ("(?:.*)"): (?:error parsing regexp: )?(.*)`, "$1 (at offset 0) is not a valid regex: $2"),
	ruleOf(`@csv cannot be applied to: `+value, "$1 cannot be csv-formatted, only array"),
	ruleOf(`@tsv cannot be applied to: `+value, "$1 cannot be tsv-formatted, only array"),
	ruleOf(`@[ct]sv cannot format an array including: `+value, "$1 is not valid in a csv row"),
	ruleOf(`@sh cannot (?:format an array including|be applied to): `+value, "$1 can not be escaped for shell"),
	ruleOf(`@base(?:64|32)d cannot be applied to ("(?:.*)"): .*`, "string ($1) is not valid base64 data"),
	ruleOf(`format not defined: @?(.*)`, "$1 is not a valid format"),
	ruleOf(`flatten depth should not be negative: .*`, "flatten depth must not be negative"),
	ruleOf(`range cannot be applied to: .*`, "Range bounds must be numeric"),
	ruleOf(`(?:sort|sort_by|group_by|unique_by|min_by|max_by)\(.*\) cannot be applied to: `+value, "$1 cannot be sorted, as it is not an array"),
	ruleOf(`sort cannot be applied to: `+value, "$1 cannot be sorted, as it is not an array"),
	ruleOf(`(?:min|max) cannot be applied to: `+value, "$1 and $1 cannot be iterated over"),
	ruleOf(`(?:add|flatten|unique|transpose|any|all) cannot be applied to: `+value, "Cannot iterate over $1"),
	ruleOf(`join\(.*\) cannot be applied to: `+value, "Cannot iterate over $1"),
	ruleOf(`(?:reverse|indices\(.*\)|index\(.*\)|rindex\(.*\)|bsearch\(.*\)) cannot be applied to: (\w+).*`, "Cannot index $1 with number"),
	ruleOf(`setpath\(.*\) cannot be applied to: .*`, "Path must be specified as an array"),
	ruleOf(`getpath\(.*\) cannot be applied to: .*`, "Path must be specified as an array"),
	ruleOf(`delpaths\(.*\) cannot be applied to: .*`, "Paths must be specified as an array"),
	ruleOf(`strptime\((".*")\) cannot be applied to (".*?"): .*`, "date $2 does not match format $1"),
	ruleOf(`strptime\(.*\) cannot be applied to: .*`, "strptime/1 requires string inputs and arguments"),
	ruleOf(`mktime cannot be applied to: array.*`, "mktime requires parsed datetime inputs"),
	ruleOf(`mktime cannot be applied to.*`, "mktime requires array inputs"),
	ruleOf(`strftime\(.*\) cannot be applied to.*`, "strftime/1 requires parsed datetime inputs"),
	ruleOf(`strflocaltime\(.*\) cannot be applied to.*`, "strflocaltime/1 requires parsed datetime inputs"),
	ruleOf(`(gmtime|localtime) cannot be applied to.*`, "$1() requires numeric inputs"),
	ruleOf(`(?:\w+) cannot be applied to: `+value, "$1 number required"),
	ruleOf(`array index should not be negative: .*`, "Out of bounds negative array index"),
	ruleOf(`array index too large: .*`, "Array index too large"),
	ruleOf(`expected a string for object key but got: .*`, "Object keys must be strings"),
	ruleOf(`expected "start" and "end" for slicing but got: (\w+).*`, "Cannot index $1 with object"),
	ruleOf(`expected an array but got: (\w+).*`, "Cannot index $1 with number"),
	ruleOf(`invalid path against: `+value, "Invalid path expression with result $1"),
	ruleOf(`invalid path on iterating against: `+value, "Invalid path expression near attempt to iterate through $1"),
	ruleOf(`break`, "No more inputs"),
}

var (
	notObject = regexp.MustCompile(`^expected an object but got: (\w+)`)
	ofPath    = regexp.MustCompile(`^(?:set|get|del)paths?\((?s:(\[.*?\])(?:; .*)?)\) cannot be applied to (?s:.*?): (expected .*|array index .*)$`)
	hasKey    = regexp.MustCompile(`^has\((.*)\) cannot be applied to: (\w+)`)
	within    = regexp.MustCompile(`^(?:contains|inside)\((.*)\) cannot be applied to: ` + value + `$`)
	shown     = regexp.MustCompile(`\b(boolean|number|string|array|object) \((?s:(.*?))\)( and | cannot|$)`)
)

// message gives the words of jq for a message of the engine; what is none stays as it is.
// The keys are those that may have been asked for, of which the message names none.
func message(text string, keys []string) string {
	if m := ofPath.FindStringSubmatch(text); m != nil {
		var path []any
		if json.Unmarshal([]byte(m[1]), &path) == nil && len(path) > 0 {
			if key, ok := path[len(path)-1].(string); ok {
				keys = []string{key}
			}
		}
		return message(m[2], keys)
	}
	if m := notObject.FindStringSubmatch(text); m != nil {
		key := "?"
		if len(keys) > 0 {
			key = keys[0]
		}
		quoted, _ := json.Marshal(key)
		return "Cannot index " + m[1] + " with string " + string(quoted)
	}
	if m := hasKey.FindStringSubmatch(text); m != nil {
		return "Cannot check whether " + m[2] + " has a " + kindOf(m[1]) + " key"
	}
	if m := within.FindStringSubmatch(text); m != nil {
		return short(nulls(m[2]) + " and " + kindOf(m[1]) + " (" + m[1] + ") cannot have their containment checked")
	}
	for _, r := range rules {
		if m := r.from.FindStringSubmatchIndex(text); m != nil {
			return short(nulls(string(r.from.ExpandString(nil, r.to, text, m))))
		}
	}
	return text
}

// nulls shows null as jq does.
func nulls(text string) string {
	for _, at := range []string{"null and ", "and null ", "over null", "null cannot", "null has", "null only", "null number"} {
		text = strings.ReplaceAll(text, at, strings.Replace(at, "null", "null (null)", 1))
	}
	return text
}

// short cuts the values in a message to the 11 bytes that jq shows.
func short(text string) string {
	return shown.ReplaceAllStringFunc(text, func(s string) string {
		m := shown.FindStringSubmatch(s)
		if len(m[2]) > 14 {
			m[2] = strings.ToValidUTF8(m[2][:11], "") + "..."
		}
		return m[1] + " (" + m[2] + ")" + m[3]
	})
}

// kindOf gives the type of a value from the start of its JSON.
func kindOf(text string) string {
	switch {
	case text == "":
		return "null"
	case text[0] == '"':
		return "string"
	case text[0] == '[':
		return "array"
	case text[0] == '{':
		return "object"
	case text == "null":
		return "null"
	case text == "true" || text == "false":
		return "boolean"
	}
	return "number"
}
