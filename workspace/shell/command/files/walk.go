package files

import (
	"io/fs"
	"strings"
)

// follow says which links a walk follows.
type follow uint8

const (
	followNone follow = iota // -P
	followArgs               // -H
	followAll                // -L
)

// node is a file that a walk visits.
type node struct {
	name  string // as it is shown: begins with the argument
	info  fs.FileInfo
	depth int
	top   string // the argument
	up    *node
	real  string // of a directory, when links are followed
	loop  bool   // a directory that stands above itself
}

// base gives the last segment of the shown name; of "/" itself.
func (n *node) base() string { return baseName(n.name) }

func baseName(name string) string {
	trimmed := strings.TrimRight(name, "/")
	if trimmed == "" && name != "" {
		return "/"
	}
	return trimmed[strings.LastIndexByte(trimmed, '/')+1:]
}

// walk visits files below arguments, the entries of a directory in order of their names.
type walk struct {
	*run
	follow  follow
	visited int
	// before is called for a file before those below it; it says whether to go into it.
	before func(n *node) bool
	// after, when not nil, is called for a directory after what is below it.
	after func(n *node)
	// failed is called for what cannot be looked at.
	failedAt func(name string, err error)
	stopped  bool
}

// from walks from one argument. A fault of the argument itself is reported by failedAt.
func (w *walk) from(name string) {
	info, err := w.look(name, w.follow != followNone)
	if err != nil && w.follow != followNone {
		info, err = w.lstat(name)
	}
	if err != nil {
		w.failedAt(name, err)
		return
	}
	w.visit(&node{name: name, info: info, top: name})
}

func (w *walk) visit(n *node) {
	if w.stopped || w.over() {
		w.stopped = true
		return
	}
	if w.visited++; w.visited > w.Budget.Walk {
		w.failedAt(n.name, &walkError{w.Budget.Walk})
		w.stopped = true
		return
	}
	if w.follow == followAll && n.info.IsDir() {
		n.real, _ = w.FS.Real(w.Abs(n.name))
		for up := n.up; up != nil; up = up.up {
			if up.real == n.real {
				n.loop = true
				w.failedAt(n.name, errLoop)
				return
			}
		}
	}
	if !w.before(n) || !n.info.IsDir() {
		if n.info.IsDir() && w.after != nil && !w.stopped {
			w.after(n)
		}
		return
	}
	entries, err := w.FS.ReadDir(w.Abs(n.name))
	if err != nil {
		w.failedAt(n.name, err)
	}
	for _, e := range entries {
		w.child(n, e)
		if w.stopped {
			return
		}
	}
	if w.after != nil {
		w.after(n)
	}
}

func (w *walk) child(n *node, e fs.DirEntry) {
	name := join(n.name, e.Name())
	info, err := w.look(name, w.follow == followAll)
	if err != nil && w.follow == followAll {
		info, err = w.lstat(name)
	}
	if err != nil {
		w.failedAt(name, err)
		return
	}
	w.visit(&node{name: name, info: info, depth: n.depth + 1, top: n.top, up: n})
}

// join puts a name behind the shown name of a directory.
func join(dir, name string) string {
	if strings.HasSuffix(dir, "/") {
		return dir + name
	}
	return dir + "/" + name
}
