package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// NearestTool says which built-in tool of this version is likely meant by a name that is
// none, such as `the nearest one is "workspace.read_file"`. It gives "" when none is near.
func NearestTool(name string) string {
	return nearestOf(name, append(here(), tooling.IDFinish[len("builtin:"):], tooling.IDReturn[len("builtin:"):]))
}

// theShell is the tool that runs commands in this version, and nearShell and shellMend what
// is said of it.
const (
	theShell  = "workspace.shell"
	nearShell = `the nearest one is "workspace.shell"`
	shellMend = "workspace.shell runs scripts in a sandbox on the files of the run"
)

// shells are words for tools that run commands.
var shells = []string{"bash", "cmd", "command", "commands", "exec", "execute", "powershell", "process", "sh", "shell", "terminal", "zsh"}

// shelly says whether a name is that of a tool that runs commands.
func shelly(name string) bool {
	return slices.ContainsFunc(words(name), func(w string) bool { return slices.Contains(shells, w) })
}

// nearestTool is NearestTool among those that lists may name: the finishing tools come by
// themselves.
func nearestTool(name string) string { return nearestOf(name, here()) }

func nearestOf(name string, names []string) string {
	if long := "builtin:" + name; strings.HasSuffix(name, "*") && !strings.Contains(name, ":") && anyMatch(long, registered()) {
		return "write " + quoted(long)
	}
	name = strings.TrimPrefix(name, "builtin:")
	if shelly(name) {
		return nearShell
	}
	near := ""
	if have := spellings[letters(name)]; have != nil {
		near = have[len(have)-1]
	}
	if !slices.Contains(names, near) {
		near = cmp.Or(byWords(name, names, 1), alike(name, names), byWords(name, names, 0.5))
	}
	if near == "" {
		return ""
	}
	return fmt.Sprintf("the nearest one is %q", near)
}

// here are the names of the built-in tools of this version that lists may name.
func here() []string {
	var out []string
	for _, id := range registered() {
		if id == tooling.IDFinish || id == tooling.IDReturn {
			continue
		}
		out = append(out, strings.TrimPrefix(id, "builtin:"))
	}
	return out
}

// byWords finds the tool whose words begin like those of a name: the first one and a share
// of them all, one of them in what the tool does. The tools of the run's files are there
// for every agent, so they come first.
func byWords(name string, names []string, share float64) string {
	want := words(name)
	type found struct {
		name         string
		hits, beyond int
	}
	var all []found
	for _, native := range names {
		parts := words(native)
		doing := parts[min(strings.Count(native, "."), len(parts)-1):]
		hits := 0
		for _, w := range want {
			if slices.ContainsFunc(parts, func(p string) bool { return strings.HasPrefix(p, w) || strings.HasPrefix(w, p) }) {
				hits++
			}
		}
		does := slices.ContainsFunc(doing, func(p string) bool {
			return slices.ContainsFunc(want, func(w string) bool { return strings.HasPrefix(p, w) })
		})
		first := len(want) > 0 && len(want[0]) > 2 && slices.ContainsFunc(parts, func(p string) bool { return strings.HasPrefix(p, want[0]) })
		if first && does && float64(hits) >= share*float64(len(want)) {
			all = append(all, found{native, hits, len(parts)})
		}
	}
	if len(all) == 0 {
		return ""
	}
	return slices.MinFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.hits, a.hits), cmp.Compare(rank(a.name), rank(b.name)), cmp.Compare(a.beyond, b.beyond), strings.Compare(a.name, b.name))
	}).name
}

func rank(native string) int {
	if strings.HasPrefix(native, "workspace.") {
		return 0
	}
	return 1
}

// words takes a name apart at signs and at capitals that follow a small letter.
func words(name string) []string {
	var b strings.Builder
	small := false
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = ' '
		case unicode.IsUpper(r) && small:
			b.WriteByte(' ')
		}
		small = unicode.IsLower(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(b.String())
}

// alike gives the nearest of some names, or "" when none has about the same letters.
func alike(name string, names []string) string {
	near := tooling.Nearest(name, names, 1)
	if len(near) == 0 {
		return ""
	}
	rest := []byte(near[0])
	strange := 0
	for _, c := range []byte(name) {
		if i := slices.Index(rest, c); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
		} else {
			strange++
		}
	}
	if max(strange, len(rest)) > max(1, len(near[0])/3) {
		return ""
	}
	return near[0]
}
