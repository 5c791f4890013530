package config

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// letters gives a name without what spellings differ in: case, "-", "_" and spaces.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == ' ' || r == '.' {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// otherwise are names that are written for keys elsewhere, by their letters. They also
// keep a misleading nearest name away.
var otherwise = map[string]string{
	"allowedtools": "tools", "body": "prompt", "instructions": "prompt", "key": "api_key", "maxtokens": "max_output",
	"systemprompt": "prompt", "token": "api_key", "url": "base_url", "path": "host", "main": "entry", "name": "model", "root": "entry", "start": "entry",
}

// mendUnknown says what to write for a key that is not known: the key in its own
// spelling, the place where there is one of this name, or the nearest key.
func (in *input) mendUnknown(name, path string, known []key) string {
	same := func(k key) bool { return letters(k.name) == letters(name) }
	if i := slices.IndexFunc(known, same); i >= 0 {
		return "write " + known[i].name
	}
	if to, ok := otherwise[letters(name)]; ok && slices.ContainsFunc(known, func(k key) bool { return k.name == to }) {
		return "write " + to
	}
	for _, t := range []struct {
		path string
		keys []key
	}{{path, known}, {"", in.table}} {
		if found := deeper(t.path, t.keys, same); found != "" {
			return "its place is " + found
		}
	}
	if len(known) == 0 {
		return ""
	}
	near := tooling.Nearest(name, names(known, nil), 1)[0]
	mend := fmt.Sprintf("the nearest known key is %q", near)
	if known[slices.IndexFunc(known, func(k key) bool { return k.name == near })].lacking() {
		mend += ", which is not in this version"
	}
	return mend
}

// deeper finds where keys below others stand, level by level; of the first level that has
// some it names all.
func deeper(path string, keys []key, which func(key) bool) string {
	type level struct {
		path string
		keys []key
	}
	for now := []level{{path, keys}}; len(now) > 0; {
		var found []string
		var next []level
		for _, l := range now {
			for _, k := range l.keys {
				at, f := join(l.path, k.name), k.kind.form
				switch {
				case f.each != nil && f.typ == "object":
					at, f = at+".NAME", *f.each
				case f.each != nil:
					at, f = at+"[0]", *f.each
				}
				if f.keys == nil {
					continue
				}
				next = append(next, level{at, f.keys})
				for _, sub := range f.keys {
					if !sub.lacking() && which(sub) {
						found = append(found, at+"."+sub.name)
					}
				}
			}
		}
		if len(found) > 0 {
			return strings.Join(found, " or ")
		}
		now = next
	}
	return ""
}

// quoted writes a single value as YAML within brackets or braces.
func quoted(s string) string {
	if s == "" || strings.ContainsAny(s, "{}[],:#&*!|>'\"%@`$") || strings.TrimSpace(s) != s {
		return strconv.Quote(s)
	}
	return s
}

// mendMapping says what to write in place of a value that is no mapping.
func mendMapping(n *yaml.Node, f form) string {
	short, hasList := f.short, false
	for _, k := range f.keys {
		hasList = hasList || k.name == short && k.kind.form.typ == "array"
	}
	list, isList := flow(n)
	isList = isList && n.Kind == yaml.SequenceNode
	single := n.Kind == yaml.ScalarNode && n.Value != "" && !strings.ContainsAny(n.Value, "\r\n")
	switch {
	case short != "" && hasList && isList:
		return fmt.Sprintf("write {%s: %s}", short, list)
	case short != "" && hasList && single:
		return fmt.Sprintf("write {%s: [%s]}", short, quoted(n.Value))
	case short != "" && isList && len(n.Content) == 1:
		return fmt.Sprintf("write {%s: %s}", short, strings.Trim(list, "[]"))
	case short != "" && single:
		return fmt.Sprintf("write {%s: %s}", short, quoted(n.Value))
	case f.each != nil && n.Kind == yaml.SequenceNode:
		return fmt.Sprintf("write each entry below its name, such as %s: {…}", firstName(n))
	case f.keys != nil:
		have := names(f.keys, func(k key) bool { return !k.lacking() })
		if len(have) > 6 {
			have = append(have[:6], "…")
		}
		return "its keys are " + strings.Join(have, ", ")
	}
	return ""
}

// firstName gives the name by which the first entry of a list would stand in a mapping.
func firstName(n *yaml.Node) string {
	for _, v := range n.Content {
		v = real(v)
		if v.Kind == yaml.ScalarNode && slug(v.Value) != "" {
			return slug(v.Value)
		}
		for i := 0; v.Kind == yaml.MappingNode && i+1 < len(v.Content); i += 2 {
			if name := v.Content[i].Value; (name == "id" || name == "name") && slug(real(v.Content[i+1]).Value) != "" {
				return slug(real(v.Content[i+1]).Value)
			}
		}
	}
	return "NAME"
}

// mendList says what to write in place of a value that is no list.
func mendList(n *yaml.Node, entry form) string {
	switch {
	case n.Kind == yaml.ScalarNode && strings.Contains(n.Value, ",") && entry.typ == "string":
		var parts []string
		for one := range strings.SplitSeq(n.Value, ",") {
			parts = append(parts, quoted(strings.TrimSpace(one)))
		}
		return "write [" + strings.Join(parts, ", ") + "]"
	case n.Kind == yaml.ScalarNode && n.Value != "" && !strings.ContainsAny(n.Value, "\r\n"):
		if entry.short != "" {
			return fmt.Sprintf("write [{%s: %s}]", entry.short, quoted(n.Value))
		}
		return "write [" + quoted(n.Value) + "]"
	case n.Kind == yaml.MappingNode && entry.typ == "object" && n.Style&yaml.FlowStyle != 0:
		return "write [{…}]"
	case n.Kind == yaml.MappingNode && entry.typ == "object":
		return `begin each entry with "- "`
	}
	return ""
}

// mendKey tells of a key that is a mapping, which is how a template {{name}} is read.
func mendKey(k *yaml.Node) string {
	if k.Kind == yaml.MappingNode {
		return "put a text that begins with { in quotes"
	}
	return ""
}

// mendText says what to write in place of a list or mapping that should be one value.
func mendText(n *yaml.Node) string {
	if n.Kind == yaml.SequenceNode && len(n.Content) == 1 && real(n.Content[0]).Kind == yaml.ScalarNode {
		return "write it without brackets"
	}
	if n.Kind == yaml.MappingNode {
		return "put a text that holds { or a colon in quotes"
	}
	return ""
}

var (
	grouped = regexp.MustCompile(`^[0-9]{1,3}([,. ][0-9]{3})+$`)
	scaled  = regexp.MustCompile(`^([0-9]{1,6})\s*([kKmM])$`)
	worded  = regexp.MustCompile(`^([0-9]{1,6})\s+[A-Za-z]+$`)
	dashes  = regexp.MustCompile(`-+`)
	timed   = regexp.MustCompile(`^([0-9]{1,6}(?:\.[0-9]+)?)\s*([a-z]+)$`)
)

func mendNumber(s string) string {
	switch {
	case slices.Contains([]string{"0", "-1", "none", "null", "inf", "unlimited"}, strings.ToLower(s)):
		return "remove the key for its default"
	case grouped.MatchString(s):
		return "write " + strings.NewReplacer(",", "", ".", "", " ", "").Replace(s)
	case scaled.MatchString(s):
		m := scaled.FindStringSubmatch(s)
		return "write " + m[1] + map[string]string{"k": "000", "m": "000000"}[strings.ToLower(m[2])]
	case worded.MatchString(s):
		return "write " + worded.FindStringSubmatch(s)[1]
	}
	return ""
}

func mendBoolean(s string) string {
	switch strings.ToLower(s) {
	case "yes", "y", "on", "1", "true":
		return "write true"
	case "no", "n", "off", "0", "false", "none":
		return "write false"
	}
	return ""
}

// units are words for units of time, and what is written for one of them.
var units = []struct {
	words []string
	unit  string
	times float64
}{
	{[]string{"ms", "msec", "millisecond", "milliseconds"}, "ms", 1},
	{[]string{"s", "sec", "secs", "second", "seconds"}, "s", 1},
	{[]string{"m", "min", "mins", "minute", "minutes"}, "m", 1},
	{[]string{"h", "hr", "hrs", "hour", "hours"}, "h", 1},
	{[]string{"d", "day", "days"}, "h", 24},
	{[]string{"w", "week", "weeks"}, "h", 168},
}

func mendDuration(s string) string {
	if _, err := strconv.ParseUint(s, 10, 32); err == nil && s != "0" {
		return fmt.Sprintf("add the unit, such as %ss", s)
	}
	m := timed.FindStringSubmatch(strings.ToLower(strings.TrimSpace(s)))
	if m == nil {
		return ""
	}
	for _, u := range units {
		x, err := strconv.ParseFloat(m[1], 64)
		if slices.Contains(u.words, m[2]) && err == nil && x > 0 {
			return fmt.Sprintf("write %g%s", x*u.times, u.unit)
		}
	}
	return ""
}

func mendWord(s string, words []string) string {
	for _, w := range words {
		if letters(w) == letters(s) || slices.Contains(synonyms[w], letters(s)) {
			return "write " + w
		}
	}
	if near := alike(strings.ToLower(s), words); near != "" {
		return "write " + near
	}
	return ""
}

// synonyms are what others write for a word.
var synonyms = map[string][]string{"relaxed": {"async", "fast", "lazy", "none", "off", "normal"}, "full": {"safe", "strict", "sync"}}

func mendID(s string) string {
	if id := dashes.ReplaceAllString(slug(s), "-"); validID(id) {
		return "write " + id
	}
	return ""
}
