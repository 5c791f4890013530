package limits

import "time"

// Unit is what a setting counts.
type Unit uint8

// Units of settings.
const (
	Number Unit = iota
	Bytes
	Time // nanoseconds, as time.Duration
)

// Setting is one of the [Limits] by its name in a team file.
type Setting struct {
	Name string
	Unit Unit
	Doc  string
	Get  func(*Limits) int64
	Set  func(*Limits, int64)
}

// Settings gives all limits that can be set, in the order of the specification.
func Settings() []Setting {
	return []Setting{
		{"clock", Time, "wall clock of a call", func(l *Limits) int64 { return int64(l.Clock) }, func(l *Limits, v int64) { l.Clock = time.Duration(v) }},
		number("command", Bytes, "size of a command", func(l *Limits) *int { return &l.Command }),
		number("script", Bytes, "size of a script file, or of a text for eval", func(l *Limits) *int { return &l.Script }),
		number("kept", Bytes, "kept of each output stream", func(l *Limits) *int { return &l.Kept }),
		number("produced", Bytes, "output of a call in all", func(l *Limits) *int64 { return &l.Produced }),
		number("memory", Bytes, "live memory", func(l *Limits) *int64 { return &l.Memory }),
		number("file", Bytes, "size of one file", func(l *Limits) *int64 { return &l.File }),
		number("written", Bytes, "written to files by one call", func(l *Limits) *int64 { return &l.Written }),
		number("files", Number, "files in the workspace", func(l *Limits) *int { return &l.Files }),
		number("total", Bytes, "size of the workspace", func(l *Limits) *int64 { return &l.Total }),
		number("walk", Number, "files visited by one walk", func(l *Limits) *int { return &l.Walk }),
		number("matches", Number, "matches of one glob", func(l *Limits) *int { return &l.Matches }),
		number("open", Number, "open files", func(l *Limits) *int { return &l.Open }),
		number("commands", Number, "simple commands of a call", func(l *Limits) *int64 { return &l.Commands }),
		number("loops", Number, "loop iterations of a call", func(l *Limits) *int64 { return &l.Loops }),
		number("functions", Number, "depth of function calls", func(l *Limits) *int { return &l.Functions }),
		number("subshells", Number, "depth of subshells and substitutions", func(l *Limits) *int { return &l.Subshells }),
		number("sources", Number, "depth of source, eval and bash", func(l *Limits) *int { return &l.Sources }),
		number("jobs", Number, "jobs and pipeline stages at once", func(l *Limits) *int { return &l.Jobs }),
		number("nesting", Number, "nesting of the source text", func(l *Limits) *int { return &l.Nesting }),
		number("braces", Number, "words of one brace expansion", func(l *Limits) *int { return &l.Braces }),
		number("variable", Bytes, "size of one variable", func(l *Limits) *int { return &l.Variable }),
		number("words", Number, "words of one expansion", func(l *Limits) *int { return &l.Words }),
		number("here_doc", Bytes, "size of a here-document", func(l *Limits) *int { return &l.HereDoc }),
		number("regex", Bytes, "program of a regular expression", func(l *Limits) *int { return &l.Regex }),
		number("backtracks", Number, "steps of a match that goes back", func(l *Limits) *int64 { return &l.Backtracks }),
		number("members", Number, "members of an archive", func(l *Limits) *int { return &l.Members }),
	}
}

func number[T int | int64](name string, u Unit, doc string, field func(*Limits) *T) Setting {
	return Setting{name, u, doc, func(l *Limits) int64 { return int64(*field(l)) }, func(l *Limits, v int64) { *field(l) = T(v) }}
}
