package tooling

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CodeInvalidArguments is the code of every refusal of arguments.
const CodeInvalidArguments = "tool.invalid_arguments"

// Reasons why arguments are refused (arguments spec §7).
const (
	ReasonTruncated  = "truncated"
	ReasonMalformed  = "malformed"
	ReasonNotObject  = "not_object"
	ReasonDuplicate  = "duplicate_key"
	ReasonTooLarge   = "too_large"
	ReasonTooDeep    = "too_deep"
	ReasonUnknownKey = "unknown_key"
	ReasonMissingKey = "missing_key"
	ReasonWrongType  = "wrong_type"
	ReasonWrongValue = "wrong_value"
	ReasonOutOfRange = "out_of_range"
)

// Bounds of what a refusal echoes (arguments spec §7), in characters.
const (
	maxEcho   = 200
	maxValue  = 80
	maxFaults = 5
)

// Invalid is a refusal of arguments. Handlers use it for what only they can judge, such
// as two members that exclude each other.
type Invalid struct {
	Reason   string
	Place    string    // path of the member, such as "messages[1].indx"
	Expected string    // what was expected there
	Suggest  string    // the accepted name that was likely meant
	Accepted []string  // all names accepted at the place
	Position int       // 1-based character of a wrong or missing character; 0: none
	Got      string    // the offending value
	Raw      string    // raw text, when the fault is in its form
	Also     []Invalid // further faults of the same set
}

// Error implements error.
func (v *Invalid) Error() string { return CodeInvalidArguments + ": " + v.Reason + ": " + v.text() }

type invalidError struct {
	Code     string       `json:"code"`
	Reason   string       `json:"reason"`
	Place    string       `json:"place,omitempty"`
	Accepted []string     `json:"accepted,omitempty"`
	Expected string       `json:"expected,omitempty"`
	Suggest  string       `json:"suggest,omitempty"`
	Position int          `json:"position,omitempty"`
	Received int          `json:"receivedChars"`
	Shown    int          `json:"shownChars"`
	Faults   []faultEntry `json:"faults,omitempty"` // all of them, when there is more than one
}

type faultEntry struct {
	Reason   string   `json:"reason"`
	Place    string   `json:"place,omitempty"`
	Accepted []string `json:"accepted,omitempty"`
	Expected string   `json:"expected,omitempty"`
	Suggest  string   `json:"suggest,omitempty"`
}

// Result gives the recoverable result of the call that had these arguments.
func (v *Invalid) Result() Result {
	received := chars(v.Raw)
	e := invalidError{
		Code: CodeInvalidArguments, Reason: v.Reason, Place: v.Place, Accepted: v.Accepted,
		Expected: v.Expected, Suggest: v.Suggest, Position: v.Position,
		Received: received, Shown: min(received, maxEcho),
	}
	if len(v.Also) > 0 {
		e.Faults = append(e.Faults, v.entry())
		for i := range v.Also {
			e.Faults = append(e.Faults, v.Also[i].entry())
		}
	}
	r := Fail(CodeInvalidArguments, v.text())
	r.Structured = map[string]any{"error": e}
	return r
}

func (v *Invalid) entry() faultEntry {
	return faultEntry{Reason: v.Reason, Place: v.Place, Accepted: v.Accepted, Expected: v.Expected, Suggest: v.Suggest}
}

func (v *Invalid) text() string {
	var b strings.Builder
	switch v.Reason {
	case ReasonTruncated:
		fmt.Fprintf(&b, "The arguments were cut off: %s characters arrived and the text ended where %s was expected. Nothing was run. "+
			"Send the call again with less at once; write a long text in parts, with append.", thousands(chars(v.Raw)), v.Expected)
	case ReasonMalformed:
		fmt.Fprintf(&b, "The arguments are malformed JSON: at character %s %s was expected. Nothing was run. "+
			"Send the call again with one valid JSON object.", thousands(v.Position), v.Expected)
	case ReasonNotObject:
		fmt.Fprintf(&b, "The arguments must be one JSON object, not %s. Nothing was run.", v.Got)
	case ReasonTooLarge, ReasonTooDeep:
		fmt.Fprintf(&b, "The arguments are over a limit: %s. %s characters arrived. Nothing was run.", v.Expected, thousands(chars(v.Raw)))
	default:
		b.WriteString("The arguments were refused. Nothing was run.")
		v.line(&b)
		for i := range v.Also {
			v.Also[i].line(&b)
		}
	}
	if v.Raw != "" {
		b.WriteString("\nReceived: " + Echo(v.Raw, maxEcho))
	}
	return b.String()
}

// line writes one fault of names or values.
func (v *Invalid) line(b *strings.Builder) {
	place := v.Place
	if place == "" {
		place = "arguments"
	}
	b.WriteString("\n- " + place + ": ")
	switch v.Reason {
	case ReasonUnknownKey:
		b.WriteString("no such parameter")
		if v.Suggest != "" {
			b.WriteString("; did you mean " + v.Suggest + "?")
		} else {
			b.WriteByte('.')
		}
		if len(v.Accepted) > 0 {
			b.WriteString(" Accepted here: " + strings.Join(v.Accepted, ", ") + ".")
		} else {
			b.WriteString(" No parameters are accepted here.")
		}
		return
	case ReasonDuplicate:
		b.WriteString("the name occurs twice; write it once.")
		return
	case ReasonMissingKey:
		b.WriteString("required, and missing")
	case ReasonWrongType:
		b.WriteString("wrong type")
	case ReasonOutOfRange:
		b.WriteString("out of range")
	default:
		b.WriteString("not accepted")
	}
	if v.Expected != "" {
		b.WriteString("; expected " + v.Expected)
	}
	if v.Got != "" {
		b.WriteString("; got " + Echo(v.Got, maxValue))
	}
	b.WriteByte('.')
}

// Echo shows at most limit characters of a foreign text on one line, with control
// characters as escapes, between runs of backticks longer than any in what is shown.
// When something is left out it says how much.
func Echo(text string, limit int) string {
	var b strings.Builder
	shown, run, longest := 0, 0, 0
	rest := text
	for rest != "" && shown < limit {
		r, n := utf8.DecodeRuneInString(rest)
		rest = rest[n:]
		shown++
		if r == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
		writeVisible(&b, r)
	}
	fence := strings.Repeat("`", longest+1)
	body := b.String()
	if strings.HasPrefix(body, "`") || strings.HasSuffix(body, "`") {
		body = " " + body + " "
	}
	out := fence + body + fence
	if rest != "" {
		out += " (showing " + thousands(shown) + " of " + thousands(shown+chars(rest)) + " characters)"
	}
	return out
}

func writeVisible(b *strings.Builder, r rune) {
	switch {
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == '\t':
		b.WriteString(`\t`)
	case unicode.IsControl(r) && r < 0x100:
		fmt.Fprintf(b, `\x%02x`, r)
	case r == '\u2028' || r == '\u2029':
		fmt.Fprintf(b, `\u%04x`, r)
	default:
		b.WriteRune(r)
	}
}

func chars(s string) int { return utf8.RuneCountInString(s) }

// thousands writes a count with commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// joinPlace puts a step in front of a place.
func joinPlace(step, rest string) string {
	if rest == "" || rest[0] == '[' {
		return step + rest
	}
	return step + "." + rest
}

// placeName shows a member name as a step: a word as it is, anything else bounded and quoted.
func placeName(name string) string {
	if name != "" && len(name) <= maxValue && strings.IndexFunc(name, func(r rune) bool {
		return r != '_' && r != '-' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) < 0 {
		return name
	}
	return "[" + Echo(name, maxValue) + "]"
}
