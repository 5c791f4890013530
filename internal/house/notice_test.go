package house

import (
	"flag"
	"fmt"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write NOTICE anew")

// dependency is a module that the program contains.
type dependency struct{ path, dir string }

// licences are the words by which a licence is known, in their order.
var licences = []struct{ name, words string }{
	{"Apache-2.0", "Apache License"},
	{"MIT", "Permission is hereby granted, free of charge"},
	{"ISC", "Permission to use, copy, modify, and/or distribute"},
	{"ISC", "Permission to use, copy, modify, and distribute"},
	{"BSD-3-Clause", "Neither the name"},
	{"BSD-2-Clause", "Redistributions in binary form"},
	{"public domain", "public domain"},
}

// TestNoticeNamesEveryModule compares the notices with what the program is built of. With
// -update they are written anew from the files of the modules.
func TestNoticeNamesEveryModule(t *testing.T) {
	t.Parallel()
	mods := contained(t)
	file := filepath.Join(root, "NOTICE")
	if *update {
		if err := os.WriteFile(file, []byte(notices(t, mods)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	notice, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for line := range strings.Lines(string(notice)) {
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "  "), " ")
		if strings.HasPrefix(line, "  ") && strings.Contains(name, "/") {
			named[name] = true
		}
		if strings.HasPrefix(line, "====") {
			break
		}
	}
	for _, m := range mods {
		if !named[m.path] {
			t.Errorf("NOTICE does not name %s; write it anew with: go test ./internal/house -run Notice -update", m.path)
		}
		delete(named, m.path)
	}
	for name := range named {
		t.Errorf("NOTICE names %s, which the program does not contain", name)
	}
}

// contained lists the modules of the program, on every system that it is built for.
func contained(t *testing.T) []dependency {
	t.Helper()
	seen := map[string]dependency{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}", "./cmd/swarm")
		cmd.Dir = root
		cmd.Env = append(cmd.Environ(), "GOOS="+system)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			if path, dir, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
				seen[path] = dependency{path, dir}
			}
		}
	}
	var out []dependency
	for _, m := range seen {
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b dependency) int { return strings.Compare(a.path, b.path) })
	return out
}

const apache = "github.com/asynkron/protoactor-go" // the module whose file has the text of the licence

// notices makes the text of the file.
func notices(t *testing.T, mods []dependency) string {
	t.Helper()
	var list, texts strings.Builder
	rule := strings.Repeat("=", 78)
	add := func(path, file, text string) {
		fmt.Fprintf(&texts, "\n%s\n%s of %s\n%s\n\n%s\n", rule, file, path, rule, strings.Trim(text, "\n"))
	}
	slices.SortStableFunc(mods, func(a, b dependency) int { // the one with the text of the Apache licence first
		return strings.Compare(fmt.Sprint(a.path != apache), fmt.Sprint(b.path != apache))
	})
	rows := []string{}
	for _, m := range mods {
		kind := ""
		for _, name := range legal(t, m.dir) {
			b, err := os.ReadFile(filepath.Join(m.dir, name))
			if err != nil {
				t.Fatal(err)
			}
			text := string(b)
			for _, k := range kinds(text) {
				if !strings.Contains(kind, k) && !strings.HasPrefix(strings.ToUpper(name), "NOTICE") {
					kind = strings.TrimPrefix(kind+" and "+k, " and ")
				}
			}
			if m.path != apache && strings.Contains(text, "TERMS AND CONDITIONS FOR USE") {
				continue // the text stands there once
			}
			add(m.path, name, text)
		}
		if kind == "" {
			t.Errorf("%s has no licence that is known here", m.path)
		}
		rows = append(rows, fmt.Sprintf("  %-49s %s\n", m.path, kind))
	}
	slices.Sort(rows)
	list.WriteString("Third-party notices\n\nThe command swarm contains the modules below, unchanged. This file carries the licence\n" +
		"texts and notices that they ask for. Where a module is under the Apache License, Version\n2.0, its text is the first one.\n\n")
	list.WriteString(strings.Join(rows, ""))
	fmt.Fprintf(&list, "  %-49s %s\n", "Go (runtime and standard library)", "BSD-3-Clause")
	b, err := os.ReadFile(filepath.Join(build.Default.GOROOT, "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	add("Go", "LICENSE", string(b))
	return list.String() + texts.String()
}

// legal lists the files of a module that speak of its licence.
func legal(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		for _, begin := range []string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS", "UNLICENSE"} {
			if !e.IsDir() && strings.HasPrefix(name, begin) && !strings.HasSuffix(name, ".GO") {
				out = append(out, e.Name())
			}
		}
	}
	return out
}

// kinds names the licences that a text has or names.
func kinds(text string) (out []string) {
	flat := strings.Join(strings.Fields(text), " ")
	for _, l := range licences {
		if strings.Contains(flat, l.words) && !slices.Contains(out, l.name) && (l.name != "BSD-2-Clause" || len(out) == 0) {
			out = append(out, l.name)
		}
	}
	return out
}
