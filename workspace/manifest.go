package workspace

import (
	"iter"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// Kinds of an [Entry] that is no file.
const (
	KindLink = "link" // a symbolic link; its content is the target
	KindDir  = "dir"  // a directory that holds nothing
)

// Entry is one file of a [Manifest], a link, or a directory that holds nothing. Each counts
// as a file in limits.
type Entry struct {
	Hash   string    // SHA-256 of the content, hex
	Size   int       // bytes
	Chars  int       // Unicode characters; of a text
	Exec   bool      // executable
	Kind   string    // "": a file
	Target string    // of a link, as it was made: from the directory that it is in, or, with "/", from the root
	By     string    // agent path that changed it last; "" for the host
	At     time.Time // of the record of that change; zero: not known
}

// Change is a checked state transition of one file.
type Change struct {
	Path    string
	Kind    string // of what is there after; "": a file
	Op      string // write, append, patch, delete
	Old     string // hash before, hex SHA-256; "": absent
	New     string // hash after; "": deleted
	Size    int    // bytes after
	Chars   int    // Unicode characters after
	Exec    bool
	Content string    // after; of a link: its target. "" with a Size: it is stored already, under New
	At      time.Time // of its record; zero: there is none yet
}

// Manifest maps path to [Entry], sorted by path. It is immutable; nil is empty.
type Manifest struct {
	// Sorted blocks of at most maxBlock files, none of them empty: a change copies one
	// block and the list of blocks, not every entry.
	blocks [][]file
	files  int
	bytes  int64
	links  int
}

type file struct {
	path string
	Entry
}

const maxBlock = 256

// Len gives the number of files.
func (m *Manifest) Len() int {
	if m == nil {
		return 0
	}
	return m.files
}

// Bytes gives the sum of the sizes.
func (m *Manifest) Bytes() int64 {
	if m == nil {
		return 0
	}
	return m.bytes
}

// Get gives the entry of a path.
func (m *Manifest) Get(path string) (Entry, bool) {
	b, i, ok := m.find(path)
	if !ok {
		return Entry{}, false
	}
	return m.blocks[b][i].Entry, true
}

// All gives every file in order of path.
func (m *Manifest) All() iter.Seq2[string, Entry] { return m.from("") }

// find gives the place of a path, or where it would be inserted.
func (m *Manifest) find(path string) (block, index int, ok bool) {
	if m == nil || len(m.blocks) == 0 {
		return 0, 0, false
	}
	// The last block that begins at or before path.
	block = max(0, sort.Search(len(m.blocks), func(i int) bool { return m.blocks[i][0].path > path })-1)
	index, ok = slices.BinarySearchFunc(m.blocks[block], path, func(f file, p string) int { return strings.Compare(f.path, p) })
	return block, index, ok
}

// from gives the files from a path on.
func (m *Manifest) from(path string) iter.Seq2[string, Entry] {
	return func(yield func(string, Entry) bool) {
		if m.Len() == 0 {
			return
		}
		b, i, _ := m.find(path)
		for ; b < len(m.blocks); b, i = b+1, 0 {
			for _, f := range m.blocks[b][i:] {
				if !yield(f.path, f.Entry) {
					return
				}
			}
		}
	}
}

// Under gives the files strictly below a directory in order of path; "" is the root.
func (m *Manifest) Under(dir string) iter.Seq2[string, Entry] { return m.under(dir) }

// under gives the files strictly below a directory; "" is the root.
func (m *Manifest) under(dir string) iter.Seq2[string, Entry] {
	prefix := dir + "/"
	if dir == "" {
		prefix = ""
	}
	return func(yield func(string, Entry) bool) {
		for p, e := range m.from(prefix) {
			if !strings.HasPrefix(p, prefix) || !yield(p, e) {
				return
			}
		}
	}
}

// hasDir says whether a directory exists: it holds a file, or was made empty.
func (m *Manifest) hasDir(dir string) bool {
	for range m.under(dir) {
		return true
	}
	e, _ := m.Get(dir)
	return e.Kind == KindDir
}

// Check says whether a change still fits: its file is as it was when the change was
// made. If not: "workspace.write_stale_file".
func (m *Manifest) Check(c Change) error {
	if e, _ := m.Get(c.Path); e.Hash != c.Old {
		return fault.New("workspace.write_stale_file", "%s has changed: expected %s, found %s", c.Path, hashOrAbsent(c.Old), hashOrAbsent(e.Hash))
	}
	return nil
}

func hashOrAbsent(hash string) string {
	if hash == "" {
		return "no file"
	}
	return "sha256 " + Short(hash)
}

// With gives a manifest with changes made by an agent. It does not check them. The entry of
// an empty directory goes away when something is put into it.
func (m *Manifest) With(by string, changes []Change) *Manifest {
	out := &Manifest{}
	if m != nil {
		*out = *m
	}
	if len(changes) == 0 {
		return out
	}
	out.blocks = slices.Clone(out.blocks)
	for _, c := range changes {
		if c.New == "" {
			out.remove(c.Path)
			continue
		}
		e := Entry{Hash: c.New, Size: c.Size, Chars: c.Chars, Exec: c.Exec, Kind: c.Kind, By: by, At: c.At}
		switch {
		case c.Kind == KindLink:
			e.Target = c.Content
		case c.Kind == KindDir && out.hasDir(c.Path):
			continue
		}
		for dir := range dirsOf(c.Path) {
			if over, _ := out.Get(dir); over.Kind == KindDir {
				out.remove(dir)
			}
		}
		out.put(file{c.Path, e})
	}
	return out
}

func (m *Manifest) put(f file) {
	b, i, ok := m.find(f.path)
	m.bytes += int64(f.Size)
	m.links += linkCount(f.Entry)
	if ok {
		m.bytes -= int64(m.blocks[b][i].Size)
		m.links -= linkCount(m.blocks[b][i].Entry)
		m.blocks[b] = slices.Clone(m.blocks[b])
		m.blocks[b][i] = f
		return
	}
	m.files++
	if len(m.blocks) == 0 {
		m.blocks = [][]file{{f}}
		return
	}
	block := slices.Concat(m.blocks[b][:i], []file{f}, m.blocks[b][i:])
	if len(block) <= maxBlock {
		m.blocks[b] = block
		return
	}
	half := len(block) / 2
	m.blocks[b] = block[:half:half]
	m.blocks = slices.Insert(m.blocks, b+1, block[half:])
}

func (m *Manifest) remove(path string) {
	b, i, ok := m.find(path)
	if !ok {
		return
	}
	m.files--
	m.bytes -= int64(m.blocks[b][i].Size)
	m.links -= linkCount(m.blocks[b][i].Entry)
	block := slices.Concat(m.blocks[b][:i], m.blocks[b][i+1:])
	if len(block) == 0 {
		m.blocks = slices.Delete(m.blocks, b, b+1)
		return
	}
	m.blocks[b] = block
}
