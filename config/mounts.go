package config

import (
	"fmt"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/seed-cf6d8d1b/swarm/workspace"
)

func mountKind(l *loader, m *workspace.MountSpec) kind {
	return mapping(
		key{"host", l.place(&m.Host), required, "the directory"},
		key{"at", line(&m.At), says("name of the directory"), "its name for agents, one word"},
		key{"mode", choice(&m.Mode, "read-only", "|", "read-write"), "read-only", "what agents may do there"},
		key{"roots", list(&m.Roots), says("all"), "paths below it that are visible"},
		key{"hidden", list(&m.Hidden), says("see [permissions](permissions.md)"), "globs that are never shown; `+glob` adds to the list, without `+` it is replaced"},
		key{"ignore", list(&m.Ignore), says("the `.gitignore` files"), "globs that are not listed or searched; `+` likewise"},
		key{"symlinks", choice(&m.Symlinks, "inside", "none"), "inside", "which links are followed: those that stay in the mount, or none"},
		key{"checkpoint", later, nil, "remove it"},
		key{"create", later, nil, "remove it, and make the directory"},
		key{"exclusive", later, nil, "remove it"},
	).meaning("host")
}

// mount reads an entry of workspace.mounts.
func (l *loader) mount(in *input, v *yaml.Node, list string, i int) {
	path := fmt.Sprintf("%s[%d]", list, i)
	m := workspace.MountSpec{Mode: "read-only"}
	mountKind(l, &m).read(in, v, path)
	if v.Kind != yaml.MappingNode {
		return
	}
	if m.Host == "" {
		if _, ok := in.seen[path+".host"]; !ok {
			in.fault(v, "config.missing", path+" has no host", "name the directory to mount, such as host: .")
		}
		return
	}
	if m.At == "" {
		m.At = filepath.Base(m.Host)
	}
	if p, err := workspace.ParsePath(m.At); err != nil || p != m.At || strings.ContainsAny(m.At, "/:") {
		in.fault(v, "config.mount_name", fmt.Sprintf("%s: the name %q is not one valid path segment", path, m.At), "give another one with at")
		return
	}
	for _, other := range l.team.Mounts {
		switch {
		case strings.EqualFold(other.At, m.At):
			in.fault(v, "config.mount_name", fmt.Sprintf("%s: the name %q is taken by another mount", path, m.At), "give another one with at")
		case within(m.Host, other.Host) || within(other.Host, m.Host):
			in.fault(v, "config.mount_overlap", fmt.Sprintf("%s overlaps with the mount %q", path, other.At), "mount one of the two")
		}
	}
	l.team.Mounts = append(l.team.Mounts, m)
}

// within says whether a cleaned path is dir or below it.
func within(p, dir string) bool {
	rel, err := filepath.Rel(dir, p)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
