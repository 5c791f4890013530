package eval

import (
	"context"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/expand"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
)

// compgenBuiltin executes compgen.
func compgenBuiltin(ctx context.Context, sh *Shell, b *streams, args []string) int {
	var actions []string
	words, prefix, suffix, filter := "", "", "", ""
	hasWords := false
	g := sh.options(b, args, "abcdefgjksuvo:A:G:W:F:C:X:P:S:")
	for letter := g.next(); letter != 0; letter = g.next() {
		switch letter {
		case 'A':
			if !knownAction(g.value) {
				sh.errorf(b, "compgen: %s: invalid action name", g.value)
				return 2
			}
			actions = append(actions, g.value)
		case 'W':
			words, hasWords = g.value, true
		case 'P':
			prefix = g.value
		case 'S':
			suffix = g.value
		case 'X':
			filter = g.value
		case 'o':
		case 'F', 'C':
			sh.errorf(b, "compgen: -%c: there is no completion here; call the function yourself", letter)
			return 1
		case 'G':
			found, err := sh.exp.Glob(ctx, g.value)
			if err != nil {
				return sh.failed(ctx, b, "compgen", err)
			}
			words, hasWords = words+" "+strings.Join(found, " "), true
		default:
			actions = append(actions, actionOf(letter))
		}
	}
	if g.bad {
		return 2
	}
	word := ""
	if len(g.args) > 0 {
		word = g.args[0]
	}
	var all []string
	for _, action := range actions {
		names, err := sh.candidates(ctx, action, word)
		if err != nil {
			return sh.failed(ctx, b, "compgen", err)
		}
		all = append(all, names...)
	}
	if hasWords {
		f := fieldsOf{line: words, ifs: " \t\n"}
		if v := sh.Get("IFS"); v.Set() {
			f.ifs = v.String()
		}
		for w, ok := f.next(); ok; w, ok = f.next() {
			all = append(all, w)
		}
	}
	var out strings.Builder
	for _, name := range all {
		if strings.HasPrefix(name, word) && !filtered(filter, name, word) {
			out.WriteString(prefix + name + suffix + "\n")
		}
	}
	b.out.WriteString(out.String())
	if out.Len() == 0 && len(args) > 1 {
		return 1
	}
	return 0
}

// filtered says whether -X takes a name away: one that matches, or with "!" one that does
// not; "&" stands for the word.
func filtered(filter, name, word string) bool {
	if filter == "" {
		return false
	}
	pattern, not := strings.CutPrefix(filter, "!")
	pattern = strings.ReplaceAll(pattern, "&", word)
	return expand.Match(pattern, name, false) != not
}

// actionOf gives the action of a letter.
func actionOf(letter byte) string {
	switch letter {
	case 'a':
		return "alias"
	case 'b':
		return "builtin"
	case 'c':
		return "command"
	case 'd':
		return "directory"
	case 'e':
		return "export"
	case 'f':
		return "file"
	case 'g':
		return "group"
	case 'j':
		return "job"
	case 'k':
		return "keyword"
	case 's':
		return "service"
	case 'u':
		return "user"
	}
	return "variable"
}

func knownAction(action string) bool {
	switch action {
	case "alias", "arrayvar", "binding", "builtin", "command", "directory", "disabled", "enabled", "export", "file", "function", "group", "helptopic",
		"hostname", "job", "keyword", "running", "service", "setopt", "shopt", "signal", "stopped", "user", "variable":
		return true
	}
	return false
}

// candidates gives the names of an action. The names of files depend on the word.
func (sh *Shell) candidates(ctx context.Context, action, word string) ([]string, error) {
	var all []string
	switch action {
	case "alias":
		for name := range sh.aliases {
			all = append(all, name)
		}
		slices.Sort(all)
	case "builtin", "enabled", "helptopic":
		for _, name := range sh.builtinNames() {
			if action != "enabled" || !sh.disabled[name] {
				all = append(all, name)
			}
		}
	case "disabled":
		for name := range sh.disabled {
			all = append(all, name)
		}
		slices.Sort(all)
	case "command":
		for _, kind := range []string{"alias", "keyword", "function", "builtin"} {
			names, err := sh.candidates(ctx, kind, word)
			if err != nil {
				return nil, err
			}
			all = append(all, names...)
		}
		all = append(all, sh.registry.Names()...)
	case "directory", "file":
		return sh.filesLike(ctx, action == "directory", word)
	case "export", "variable", "arrayvar":
		for _, name := range sh.Names("") {
			v := sh.Get(name)
			if action == "variable" && v.Set() || action == "export" && v.Has(vars.Export) || action == "arrayvar" && (v.Kind == vars.Indexed || v.Kind == vars.Assoc) {
				all = append(all, name)
			}
		}
	case "function":
		return sh.functionNames(), nil
	case "keyword":
		return keywords[:], nil
	case "setopt":
		for _, o := range setOptions {
			all = append(all, o.name)
		}
	case "shopt":
		for _, o := range shoptOptions {
			all = append(all, o.name)
		}
	case "signal":
		for n := signal(1); n <= 64; n++ {
			if n != 32 && n != 33 {
				all = append(all, n.String())
			}
		}
	case "user", "group":
		return []string{"agent"}, nil
	}
	return all, nil
}

// filesLike gives the paths that begin with a word.
func (sh *Shell) filesLike(ctx context.Context, directories bool, word string) ([]string, error) {
	found, err := sh.exp.Glob(ctx, quotePattern(word)+"*")
	if err != nil || !directories {
		return found, err
	}
	return slices.DeleteFunc(found, func(name string) bool {
		info, err := sh.fs.Stat(sh.abs(name))
		return err != nil || !info.IsDir()
	}), nil
}

// quotePattern takes their meaning from the characters of a pattern.
func quotePattern(s string) string {
	var out strings.Builder
	for i := range len(s) {
		if strings.IndexByte(`*?[]\+@!()|`, s[i]) >= 0 {
			out.WriteByte('\\')
		}
		out.WriteByte(s[i])
	}
	return out.String()
}
