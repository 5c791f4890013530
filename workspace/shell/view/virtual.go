package view

import (
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// node is something that is on no host: a directory, a command or a device.
type node struct {
	key  string // its path
	mode fs.FileMode
	kind string // of a device: null, zero, full, random, fd
	fd   int
	text string // of a command
}

func (n *node) dir() bool { return n.mode.IsDir() }

func (n *node) info(name string) *info {
	return virtualInfo(name, n.key, n.mode, int64(len(n.text)))
}

const (
	deviceMode  = fs.ModeDevice | fs.ModeCharDevice | 0o666
	maxFd       = 1 << 16
	virtualDirs = "bin dev dev/fd usr usr/bin"
)

var devices = []string{"fd", "full", "null", "random", "stderr", "stdin", "stdout", "urandom", "zero"}

// node gives what is virtual at a place, or nil.
func (v *View) node(segs []string) *node {
	if len(segs) == 0 || len(segs) > 3 {
		return nil
	}
	key := strings.Join(segs, "/")
	if slices.Contains(strings.Fields(virtualDirs), key) {
		return &node{key: key, mode: fs.ModeDir | 0o755}
	}
	dir, name := strings.Join(segs[:len(segs)-1], "/"), segs[len(segs)-1]
	switch dir {
	case "bin", "usr/bin":
		if _, ok := slices.BinarySearch(v.commands, name); ok {
			// Copied to another place it still runs the command.
			return &node{key: "bin/" + name, mode: 0o755, text: "#!/usr/bin/env " + name + "\n"}
		}
	case "dev":
		return device(name)
	case "dev/fd":
		n, err := strconv.Atoi(name)
		if err != nil || n < 0 || n >= maxFd || name != strconv.Itoa(n) {
			return nil
		}
		return descriptor(n)
	}
	return nil
}

func device(name string) *node {
	n := &node{key: "dev/" + name, mode: deviceMode}
	switch name {
	case "null", "zero", "full":
		n.kind = name
	case "random", "urandom":
		n.kind = "random"
	case "stdin":
		return descriptor(0)
	case "stdout":
		return descriptor(1)
	case "stderr":
		return descriptor(2)
	default:
		return nil
	}
	return n
}

// descriptor gives the node of a descriptor of the shell: a terminal's kind of device for
// the first three, a pipe for the others.
func descriptor(n int) *node {
	out := &node{key: "dev/fd/" + strconv.Itoa(n), mode: fs.ModeDevice | fs.ModeCharDevice | 0o620, kind: "fd", fd: n}
	if n > 2 {
		out.mode = fs.ModeNamedPipe | 0o600
	}
	return out
}

// names gives what is virtual in a directory of the view.
func (v *View) names(segs []string) []string {
	switch strings.Join(segs, "/") {
	case "bin", "usr/bin":
		return v.commands
	case "usr":
		return []string{"bin"}
	case "dev":
		return devices
	}
	return nil
}

// special is an open device or command.
type special struct {
	v    *View
	n    *node
	name string
	text *strings.Reader
}

func (v *View) openNode(n *node, name string, write bool) (File, error) {
	switch {
	case n.kind == "fd":
		return nil, &fdError{n.fd}
	case write && n.kind == "":
		return nil, v.refused
	}
	return &special{v: v, n: n, name: name, text: strings.NewReader(n.text)}, nil
}

func (s *special) Read(p []byte) (int, error) {
	switch s.n.kind {
	case "null":
		return 0, io.EOF
	case "zero", "full":
		clear(p)
	case "random":
		s.v.o.Rand(p)
	default:
		if s.n.dir() {
			return 0, fail("read", s.name, syscall.EISDIR)
		}
		return s.text.Read(p)
	}
	return len(p), nil
}

func (s *special) ReadAt(p []byte, off int64) (int, error) {
	if s.n.kind == "" && !s.n.dir() {
		return s.text.ReadAt(p, off)
	}
	return s.Read(p)
}

func (s *special) Write(p []byte) (int, error) {
	switch s.n.kind {
	case "":
		return 0, fail("write", s.name, syscall.EBADF)
	case "full":
		return 0, fail("write", s.name, syscall.ENOSPC)
	}
	return len(p), nil
}

func (s *special) Seek(offset int64, whence int) (int64, error) {
	if s.n.kind == "" && !s.n.dir() {
		return s.text.Seek(offset, whence)
	}
	return 0, nil
}

func (s *special) Truncate(int64) error       { return fail("truncate", s.name, syscall.EINVAL) }
func (s *special) Stat() (fs.FileInfo, error) { return s.n.info(path.Base(s.name)), nil }
func (s *special) Close() error               { return nil }
