package eval

import (
	"context"
	"slices"
	"strings"
	"syscall"
)

// keywords are the words of the language, in the order in which bash lists them.
var keywords = [...]string{
	"if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do", "done", "in", "function", "time",
	"{", "}", "!", "[[", "]]", "coproc",
}

// meaning is one thing that a name of a command stands for.
type meaning struct {
	kind string // alias, keyword, function, builtin, file
	path string // of a file
	hash bool   // the path is remembered
}

// meanings gives what a name stands for, in the order in which it is looked up: the first,
// or with all every one. It looks at nothing but the shell and the view.
func (sh *Shell) meanings(name string, all, functions bool) []meaning {
	var found []meaning
	add := func(ok bool, m meaning) bool {
		if ok {
			found = append(found, m)
		}
		return ok && !all
	}
	_, aliased := sh.aliases[name]
	switch {
	case add(aliased && sh.opt(shoptExpandAliases), meaning{kind: "alias"}):
	case add(slices.Contains(keywords[:], name), meaning{kind: "keyword"}):
	case add(functions && sh.funcs[name] != nil, meaning{kind: "function"}):
	case add(sh.builtin[name] != nil && !sh.disabled[name], meaning{kind: "builtin"}):
	case !all && sh.hashed[name] != "":
		add(true, meaning{kind: "file", path: sh.hashed[name], hash: true})
	default:
		for _, p := range sh.files(name, all) {
			found = append(found, meaning{kind: "file", path: p})
		}
	}
	return found
}

// files gives the paths that a name stands for: the first, or with all every one. A file
// on PATH that may not be executed counts when there is no other.
func (sh *Shell) files(name string, all bool) []string {
	if strings.Contains(name, "/") {
		if f := sh.searchPath(name); f.err == nil || sh.standalone(f.path) != nil {
			return []string{name}
		}
		return nil
	}
	var paths []string
	refused := ""
	for dir := range strings.SplitSeq(sh.Get("PATH").String(), ":") {
		if dir == "" {
			dir = "."
		}
		p := strings.TrimSuffix(dir, "/") + "/" + name
		if f := sh.searchPath(p); f.err != nil && sh.standalone(f.path) == nil {
			if f.err == syscall.EACCES && refused == "" {
				refused = p
			}
			continue
		}
		paths = append(paths, p)
		if !all {
			break
		}
	}
	if len(paths) == 0 && refused != "" {
		return []string{refused}
	}
	return paths
}

// describe writes what a name stands for: a line of text, or with short only what a script
// needs (command -v). It is false when the name stands for nothing.
func (sh *Shell) describe(b *streams, name string, short bool) bool {
	found := sh.meanings(name, false, true)
	if len(found) == 0 {
		return false
	}
	m := found[0]
	switch {
	case !short:
		b.out.WriteString(sh.meaningText(name, m) + "\n")
	case m.kind == "alias":
		b.out.WriteString("alias " + name + "=" + quoteAlways(sh.aliases[name]) + "\n")
	case m.kind == "file":
		b.out.WriteString(m.path + "\n")
	default:
		b.out.WriteString(name + "\n")
	}
	return true
}

// quoteAlways quotes with single quotes, as alias does.
func quoteAlways(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// meaningText gives the line of type about a meaning.
func (sh *Shell) meaningText(name string, m meaning) string {
	switch m.kind {
	case "alias":
		return name + " is aliased to `" + sh.aliases[name] + "'"
	case "keyword":
		return name + " is a shell keyword"
	case "function":
		return name + " is a function\n" + functionText(name, sh.funcs[name])
	case "builtin":
		return name + " is a shell builtin"
	}
	if m.hash {
		return name + " is hashed (" + m.path + ")"
	}
	return name + " is " + m.path
}

// typeBuiltin executes type.
func typeBuiltin(_ context.Context, sh *Shell, b *streams, args []string) int {
	var all, word, path, force, noFunctions bool
	g := sh.options(b, args, "afptP")
	for letter := g.next(); letter != 0; letter = g.next() {
		switch letter {
		case 'a':
			all = true
		case 'f':
			noFunctions = true
		case 'p':
			path, word = true, false
		case 't':
			word, path = true, false
		case 'P':
			force, word = true, false
		}
	}
	if g.bad {
		return 2
	}
	var out strings.Builder
	status := 0
	for _, name := range g.args {
		var found []meaning
		if force {
			for _, p := range sh.files(name, all) {
				found = append(found, meaning{kind: "file", path: p})
			}
		} else {
			found = sh.meanings(name, all, !noFunctions)
		}
		if len(found) == 0 {
			status = 1
			if !word && !path && !force {
				sh.errorf(b, "type: %s: not found", name)
			}
		}
		for _, m := range found {
			switch {
			case word:
				out.WriteString(m.kind + "\n")
			case path || force:
				if m.kind == "file" {
					out.WriteString(m.path + "\n")
				}
			default:
				out.WriteString(sh.meaningText(name, m) + "\n")
			}
		}
	}
	b.out.WriteString(out.String())
	return status
}
