package config

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

const referenceFile = "../docs/team-file.md"

// TestReference holds that the tables of docs/team-file.md are those of the keys. With
// -update the text between the marks <!-- keys: NAME --> and <!-- end --> is written anew.
func TestReference(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(referenceFile)
	if err != nil {
		t.Fatal(err)
	}
	doc := string(data)
	l := blank()
	front := frontKeys(l, new(draft))
	team := teamKeys(l)
	find := func(keys []key, names ...string) []key {
		var f form
		for _, name := range names {
			for _, k := range keys {
				if k.name == name {
					f = k.kind.form
				}
			}
			if f.each != nil {
				f = *f.each
			}
			keys = f.keys
		}
		return keys
	}
	for _, part := range []struct {
		name string
		text string
	}{
		{"team", table(team, false)},
		{"models", table(find(team, "models"), false)},
		{"mounts", table(find(team, "workspace", "mounts"), false)},
		{"profile", table(find(team, "agents"), false)},
		{"foreign", foreignTable(front, l)},
		{"later", "In a team file:\n\n" + table(team, true) + "\nIn a model:\n\n" + table(find(team, "models"), true) +
			"\nIn a profile:\n\n" + table(find(team, "agents"), true)},
	} {
		begin, end := "<!-- keys: "+part.name+" -->\n", "<!-- end -->"
		before, rest, found := strings.Cut(doc, begin)
		old, after, closed := strings.Cut(rest, end)
		if !found || !closed {
			t.Errorf("there are no marks for the keys of %s", part.name)
			continue
		}
		text := "\n" + part.text + "\n"
		if old != text && !*update {
			t.Errorf("the keys of %s are stale; run go test ./config -run TestReference -update\ngot\n%swant\n%s", part.name, old, text)
		}
		doc = before + begin + text + end + after
	}
	if *update {
		if err := os.WriteFile(referenceFile, []byte(doc), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// table writes keys, or those that this version lacks, one a row by their dotted paths.
func table(keys []key, lacking bool) string {
	var b strings.Builder
	if lacking {
		b.WriteString("| not in this version | instead |\n|---|---|\n")
	} else {
		b.WriteString("| key | value | default | meaning |\n|---|---|---|---|\n")
	}
	rows(&b, "", keys, lacking)
	return b.String()
}

func rows(b *strings.Builder, path string, keys []key, lacking bool) {
	for _, k := range keys {
		at := join(path, k.name)
		f := k.kind.form
		switch {
		case k.lacking() && lacking:
			fmt.Fprintf(b, "| `%s` | %s |\n", at, k.doc)
		case k.lacking():
		case f.keys != nil:
			rows(b, at, f.keys, lacking)
		case lacking:
			for _, w := range f.lacks {
				fmt.Fprintf(b, "| `%s: %s` | %s |\n", at, w, ticked(f.words, " or "))
			}
		case f.each != nil && f.typ == "object" && f.each.keys != nil && path != "":
			fmt.Fprintf(b, "| `%s` | a mapping by name | %s | %s |\n", at, given(k.def), k.doc)
			rows(b, at+".NAME", f.each.keys, lacking)
		default:
			fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", at, values(f), given(k.def), k.doc)
		}
	}
}

func foreignTable(front []key, l *loader) string {
	var b strings.Builder
	b.WriteString("| field | value | meaning |\n|---|---|---|\n")
	for _, k := range front {
		if k.name == "tools" {
			for _, f := range k.kind.form.also {
				fmt.Fprintf(&b, "| `tools` | %s | the same as `tools.allow` or `tools.deny`, with names of tools of other programs |\n", values(f))
			}
		}
	}
	for _, f := range foreignFields(l, new(draft)) {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.name, values(f.kind.form), f.doc)
	}
	var ignored []string
	for _, k := range front {
		if k.doc == ignoredDoc {
			ignored = append(ignored, k.name)
		}
	}
	fmt.Fprintf(&b, "| %s | anything | %s |\n", ticked(ignored, " "), ignoredDoc)
	return b.String()
}

func ticked(words []string, between string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = "`" + w + "`"
	}
	return strings.Join(out, between)
}

// values says in words what a form takes.
func values(f form) string {
	switch {
	case f.fixed != nil:
		return fmt.Sprintf("`%v`", f.fixed)
	case f.words != nil:
		return ticked(f.words, ", ")
	case f.each != nil && f.typ == "array" && f.is == "a list":
		return "list: " + f.each.is
	}
	is := f.is
	for _, a := range f.also {
		is += ", or " + a.is
	}
	return is
}

// given writes a default.
func given(def any) string {
	switch d := def.(type) {
	case nil:
		return "none"
	case says:
		return string(d)
	}
	return fmt.Sprintf("`%v`", def)
}
