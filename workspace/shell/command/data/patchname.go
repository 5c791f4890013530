package data

import (
	"fmt"
	"path"
	"strings"
)

// stripped gives a name of the patch without the directories that -p leaves out, or "".
func (p *patcher) stripped(name string) string {
	if name == "" || name == "/dev/null" {
		return ""
	}
	if p.strip < 0 {
		return path.Base(name)
	}
	for range p.strip {
		at := strings.IndexByte(name, '/')
		if at < 0 {
			return ""
		}
		name = strings.TrimLeft(name[at:], "/")
	}
	return name
}

// choose gives the file that a patch is for: of the names in it that exist, the one with
// the fewest directories, then the shortest. A patch that creates takes a name that does
// not exist.
func (p *patcher) choose(f *filePatch) (name string, exists bool) {
	if p.target != "" {
		_, err := p.c.FS.Stat(p.c.Abs(p.target))
		return p.target, err == nil
	}
	if f.rename || f.copy {
		name = p.stripped(f.oldName)
		if p.reverse {
			name = p.stripped(f.newName)
		}
		_, err := p.c.FS.Stat(p.c.Abs(name))
		if name != "" && err == nil {
			return name, true
		}
	}
	var candidates []string
	for _, given := range []string{f.oldName, f.newName, f.index} {
		stripped := p.stripped(given)
		if stripped == "" || dangerous(stripped) {
			continue
		}
		candidates = append(candidates, stripped)
	}
	best := ""
	for _, candidate := range candidates {
		info, err := p.c.FS.Stat(p.c.Abs(candidate))
		if err == nil && !info.IsDir() && (best == "" || better(candidate, best)) {
			best = candidate
		}
	}
	if best != "" {
		return best, true
	}
	if f.oldNone || onlyAdds(f) {
		for _, candidate := range candidates {
			if best == "" || better(candidate, best) {
				best = candidate
			}
		}
	}
	return best, false
}

func better(a, b string) bool {
	for _, measure := range []func(string) int{
		func(s string) int { return strings.Count(s, "/") },
		func(s string) int { return len(path.Base(s)) },
		func(s string) int { return len(s) },
	} {
		if x, y := measure(a), measure(b); x != y {
			return x < y
		}
	}
	return false
}

// dangerous says whether a name that comes from a patch leads elsewhere.
func dangerous(name string) bool {
	if strings.HasPrefix(name, "/") {
		return true
	}
	for segment := range strings.SplitSeq(name, "/") {
		if segment == ".." {
			return true
		}
	}
	return false
}

// lost says that no file was found. There is nobody to ask for it.
func (p *patcher) lost(f *filePatch) {
	p.code = 1
	plural := "s"
	if len(f.hunks) == 1 {
		plural = ""
	}
	fmt.Fprintf(p.c.Out, "can't find file to patch at input line %d\n", f.line+2)
	if p.strip < 0 {
		fmt.Fprintln(p.c.Out, "Perhaps you should have used the -p or --strip option?")
	} else {
		fmt.Fprintln(p.c.Out, "Perhaps you used the wrong -p or --strip option?")
	}
	if len(f.header) > 0 {
		fmt.Fprintln(p.c.Out, "The text leading up to this was:\n--------------------------")
		for _, line := range f.header {
			fmt.Fprint(p.c.Out, "|"+withNewline(line))
		}
		fmt.Fprintln(p.c.Out, "--------------------------")
	}
	if !p.force && !p.batch {
		fmt.Fprintln(p.c.Out, "File to patch: \nSkip this patch? [y] ")
	} else {
		fmt.Fprintln(p.c.Out, "No file to patch.  Skipping patch.")
	}
	if !p.force && !p.batch {
		fmt.Fprintln(p.c.Out, "Skipping patch.")
	}
	fmt.Fprintf(p.c.Out, "%d out of %d hunk%s ignored\n", len(f.hunks), len(f.hunks), plural)
}
