package config

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// strays warns of what looks like an agent file in a directory of them and is not read.
func (l *loader) strays(dir string) {
	if found := astray(dir); len(found) > 0 {
		l.add(Fault{File: dir, Code: "config.file_unread", Warning: true, Text: "not read: " + listed(found) + "; an agent file is NAME.md in the directory itself",
			Mend: "move or rename what should be an agent"})
	}
}

// unused warns of agent files beside a team file that names its agents one by one.
func (l *loader) unused(agents *yaml.Node) {
	if l.list == nil {
		return
	}
	files, err := l.list(filepath.Join(l.dir, "agents"))
	if err != nil {
		return // there need not be such a directory
	}
	var out []string
	for _, file := range files {
		if !slices.Contains(l.used, filepath.Join(l.absDir, "agents", filepath.Base(file))) {
			out = append(out, filepath.Join("agents", filepath.Base(file)))
		}
	}
	if len(out) > 0 {
		l.top.warn(agents, "config.file_unread", "agents names the agents one by one, and these files are not used: "+listed(out),
			"name them below agents too, or remove agents to have all of them")
	}
}

// astray finds, sorted, what looks like an agent file: by another ending in a directory, or
// with front matter one level below it.
func astray(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		name := e.Name()
		switch {
		case strings.HasPrefix(name, "."):
		case e.IsDir():
			below, _ := os.ReadDir(filepath.Join(dir, name)) // what cannot be read is not looked at
			for _, b := range below {
				file := filepath.Join(name, b.Name())
				if b.Type().IsRegular() && isMarkdown(b.Name()) && fenced(filepath.Join(dir, file)) {
					out = append(out, file)
				}
			}
		case e.Type().IsRegular() && isMarkdown(name) && !strings.HasSuffix(name, ".md"):
			out = append(out, name)
		}
	}
	return out
}

// isMarkdown says whether a name is that of a Markdown file that may be an agent.
func isMarkdown(name string) bool {
	ext := filepath.Ext(name)
	known := slices.ContainsFunc([]string{".md", ".markdown", ".mdown", ".mdx"}, func(e string) bool { return strings.EqualFold(e, ext) })
	return known && !strings.EqualFold(strings.TrimSuffix(name, ext), "README")
}

// fenced says whether a file begins with front matter.
func fenced(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 16))
	line, _, found := bytes.Cut(bytes.TrimPrefix(head, bom), []byte("\n"))
	return err == nil && found && isFence(line)
}

// lonely tells of an agent file that was named as a team.
func lonely(file string) Fault {
	dir, id := filepath.Dir(file), slug(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
	f := Fault{File: file, Code: "config.value", Text: "this is an agent file, and a team is a team file or a directory", Mend: fmt.Sprintf("name the directory %s, with --entry %s", dir, id)}
	for _, above := range []string{dir, filepath.Dir(dir)} {
		if team := filepath.Join(above, teamFile); regular(team) && (above == dir || filepath.Base(dir) == "agents") {
			f.Mend = "name the team file " + team
			break
		}
	}
	return f
}

func regular(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular()
}
