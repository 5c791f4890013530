package workspace

import (
	"path"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

func linkCount(e Entry) int {
	if e.Kind == KindLink {
		return 1
	}
	return 0
}

// Resolve gives the path that a path of the workspace leads to, with every link of the
// workspace followed; it need not exist. A target that begins with "/" starts at the root
// of the workspace, ".." stops there. More than 40 links: "workspace.invalid_path".
func (m *Manifest) Resolve(p string) (string, error) {
	return m.resolve(p, func(string) bool { return true })
}

// resolve follows those links that may be seen.
func (m *Manifest) resolve(p string, sees func(link string) bool) (string, error) {
	if m == nil || m.links == 0 {
		return p, nil
	}
	at, todo := "", strings.Split(p, "/")
	for links := 0; len(todo) > 0; {
		seg := todo[0]
		todo = todo[1:]
		switch seg {
		case "", ".":
			continue
		case "..":
			if at = path.Dir(at); at == "." {
				at = ""
			}
			continue
		}
		next := path.Join(at, seg)
		e, _ := m.Get(next)
		if e.Kind != KindLink || !sees(next) {
			at = next
			continue
		}
		if links++; links > maxLinks {
			return "", invalidPath(p, "it leads through more than %d links", maxLinks)
		}
		if strings.HasPrefix(e.Target, "/") {
			at = ""
		}
		todo = append(strings.Split(e.Target, "/"), todo...)
	}
	return at, nil
}

// follow gives the visible path that a checked path leads to.
func (v *View) follow(p string) (string, error) {
	to, err := v.o.Manifest.resolve(p, v.o.Roots.CanSee)
	if err != nil || to == p {
		return to, err
	}
	if to != "" && !v.o.Roots.CanSee(to) {
		return "", fault.New(codeNotVisible, "%s is a link to %s, which is not visible here; visible: %s", p, to, names(v.o.Roots.Visible))
	}
	return to, nil
}
