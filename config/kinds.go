package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

const (
	patternLine     = `^[^\r\n]*\S[^\r\n]*$`
	patternBlock    = `\S`
	patternID       = `^[a-z0-9][a-z0-9_-]{0,63}$`
	patternModel    = `^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`
	patternDuration = `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`
	patternVariable = `^[A-Za-z_][A-Za-z0-9_]*$`
	patternSecret   = `\$\{[A-Za-z_][A-Za-z0-9_]*\}`
	patternHeader   = `^[^\x00-\x20\x7f()<>@,;:\\"/\[\]?={}]+$`
	patternURL      = `^(https?://\S+|.*\$\{[A-Za-z_][A-Za-z0-9_]*\}.*)$`
	patternTool     = `^([a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*|(builtin|(mcp|extension)/[a-z0-9_-]+):.*\S.*)$`
	patternAuth     = `^(bearer|none|header:[^\x00-\x20\x7f()<>@,;:\\"/\[\]?={}]+)$`
)

// scalar is a kind of single values; set gets the text of one.
func scalar(f form, set func(in *input, v *yaml.Node, path, s string)) kind {
	return kind{f, func(in *input, v *yaml.Node, path string) {
		if s, ok := in.text(v, path); ok {
			set(in, v, path, s)
		}
	}}
}

// text reads a text as it stands.
func text(to *string) kind {
	return scalar(form{typ: "string", is: "text"}, func(_ *input, _ *yaml.Node, _, s string) { *to = s })
}

// line reads a text of one line that is not blank.
func line(to *string) kind {
	return scalar(form{typ: "string", is: "one line of text", pattern: patternLine}, func(in *input, v *yaml.Node, path, s string) {
		if s = strings.TrimSpace(s); s == "" || strings.ContainsAny(s, "\r\n") {
			in.value(v, path, "one line of text", "")
			return
		}
		*to = s
	})
}

// sentence reads a text that is shown in one line: each run of white space is one space.
func sentence(to *string) kind {
	return scalar(form{typ: "string", is: "one line of text", pattern: patternBlock}, func(in *input, v *yaml.Node, path, s string) {
		if s = strings.Join(strings.Fields(s), " "); s == "" {
			in.value(v, path, "one line of text", "")
			return
		}
		*to = s
	})
}

// whole reads a whole number within bounds.
func whole(least, most int, set func(int)) kind {
	f := form{typ: "integer", is: fmt.Sprintf("a whole number from %d", least), least: least}
	if most < math.MaxInt {
		f.is += fmt.Sprintf(" to %d", most)
		f.most = most
	}
	return scalar(f, func(in *input, v *yaml.Node, path, s string) {
		i, err := strconv.Atoi(strings.ReplaceAll(s, "_", ""))
		if err != nil || i < least || i > most {
			in.value(v, path, f.is, mendNumber(s))
			return
		}
		set(i)
	})
}

func integer(to *int, least, most int) kind { return whole(least, most, func(i int) { *to = i }) }

// count reads a whole number from 1.
func count(to *int) kind { return integer(to, 1, math.MaxInt) }

// count64 is count for a 64-bit number.
func count64(to *int64) kind { return whole(1, math.MaxInt, func(i int) { *to = int64(i) }) }

// number reads a number from 0 to most.
func number(to **float64, most float64) kind {
	f := form{typ: "number", is: fmt.Sprintf("a number from 0 to %g", most), least: 0, most: most}
	return scalar(f, func(in *input, v *yaml.Node, path, s string) {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || !(x >= 0 && x <= most) {
			in.value(v, path, f.is, "")
			return
		}
		*to = &x
	})
}

// share reads a part of a whole.
func share(to *float64, least, most float64) kind {
	f := form{typ: "number", is: fmt.Sprintf("a number from %g to %g", least, most), least: least, most: most}
	return scalar(f, func(in *input, v *yaml.Node, path, s string) {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || !(x >= least && x <= most) {
			in.value(v, path, f.is, "")
			return
		}
		*to = x
	})
}

// truth reads true or false.
func truth(set func(bool)) kind {
	f := form{typ: "boolean", is: "true or false"}
	return scalar(f, func(in *input, v *yaml.Node, path, s string) {
		if s != "true" && s != "false" {
			in.value(v, path, f.is, mendBoolean(s))
			return
		}
		set(s == "true")
	})
}

func boolean(to *bool) kind { return truth(func(b bool) { *to = b }) }

// optional reads a flag that has no default of its own.
func optional(to **bool) kind { return truth(func(b bool) { *to = &b }) }

// duration reads a duration above 0.
func duration(to *time.Duration) kind {
	f := form{typ: "string", is: "a duration such as 10s, 5m or 1h", pattern: patternDuration}
	return scalar(f, func(in *input, v *yaml.Node, path, s string) {
		d, err := time.ParseDuration(s)
		if err != nil || d <= 0 {
			in.value(v, path, f.is, mendDuration(s))
			return
		}
		*to = d
	})
}

// choose reads one of a few words. Those behind the bar "|" are words of the
// specification that this version lacks.
func choose(set func(in *input, v *yaml.Node, word string), words ...string) kind {
	f := form{typ: "string"}
	to := &f.words
	for _, w := range words {
		if w == "|" {
			to = &f.lacks
			continue
		}
		*to = append(*to, w)
	}
	f.is = strings.Join(f.words, " or ")
	return scalar(f, func(in *input, v *yaml.Node, path, s string) {
		for _, w := range f.words {
			if w == s {
				set(in, v, s)
				return
			}
		}
		for _, w := range f.lacks {
			if w == s {
				in.absent(v, path+": "+s, "use "+f.is)
				return
			}
		}
		in.value(v, path, f.is, mendWord(s, f.words))
	})
}

func choice(to *string, words ...string) kind {
	return choose(func(_ *input, _ *yaml.Node, word string) { *to = word }, words...)
}

// only is the kind of a key that this version accepts at its default alone, so that a
// file may say it.
func only(value any) kind {
	word := fmt.Sprint(value)
	f := form{typ: "string", is: word, fixed: value}
	if _, ok := value.(bool); ok {
		f.typ = "boolean"
	}
	return scalar(f, func(in *input, v *yaml.Node, path, s string) {
		if s != word {
			in.absent(v, path+": "+s, "use "+word)
		}
	})
}

// ident reads an id.
func ident(to *string) kind {
	f := form{typ: "string", is: "an id: " + idGrammar, pattern: patternID}
	return scalar(f, func(in *input, v *yaml.Node, path, s string) {
		*to = s
		if !validID(s) {
			in.value(v, path, idGrammar, mendID(s))
		}
	})
}

// place reads the path of a file or directory of the host, from the team file's directory.
func (l *loader) place(to *string) kind {
	var name string
	k := line(&name)
	k.form.is = "a path"
	read := k.read
	k.read = func(in *input, v *yaml.Node, path string) {
		if read(in, v, path); name != "" {
			*to = l.absolute(name)
		}
	}
	return k
}

// reference reads a text that may hold references to the environment.
func reference(to *string) kind {
	k := line(to)
	k.form.is = "one line of text, which may hold ${NAME}"
	read := k.read
	k.read = func(in *input, v *yaml.Node, path string) {
		read(in, v, path)
		if _, ok := references(*to); !ok {
			in.fault(v, "config.value", path+": "+badReference, "")
		}
	}
	return k
}

// address reads a URL that may hold references; [loader.completeModel] judges it.
func address(to *string) kind {
	k := reference(to)
	k.form.is, k.form.pattern = "an http or https URL, which may hold ${NAME}", patternURL
	return k
}

// secret reads a reference; a text without one would put a key into the file.
func secret(to *string) kind {
	f := form{typ: "string", is: "a reference ${NAME}", pattern: patternSecret}
	return scalar(f, func(in *input, v *yaml.Node, path, s string) {
		names, ok := references(s)
		switch {
		case !ok:
			in.fault(v, "config.value", path+": "+badReference, "")
		case len(names) == 0:
			in.fault(v, "config.literal_secret", path+" holds a key itself", "write ${NAME} and set NAME in the environment, or use api_key_file")
		default:
			*to = s
		}
	})
}
