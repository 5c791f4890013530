package view

import (
	"hash/fnv"
	"io/fs"
	"os"
	"time"
)

// Owner is the number of the user and the group that everything in a view belongs to.
const Owner = 1000

// Attr is what the Sys method of every file info of a view gives, as *Attr.
type Attr struct {
	UID, GID     int
	Ino, Dev     uint64
	Nlink        uint64
	Blocks       int64 // of 512 bytes
	ATime, CTime time.Time
}

// info is the [fs.FileInfo] of everything in a view.
type info struct {
	name string
	size int64
	mode fs.FileMode
	time time.Time
	attr Attr
	host fs.FileInfo // nil: virtual
}

func (i *info) Name() string       { return i.name }
func (i *info) Size() int64        { return i.size }
func (i *info) Mode() fs.FileMode  { return i.mode }
func (i *info) ModTime() time.Time { return i.time }
func (i *info) IsDir() bool        { return i.mode.IsDir() }
func (i *info) Sys() any           { return &i.attr }

// hostInfo gives the info of a file of the host under a name of the view.
func hostInfo(name string, host fs.FileInfo) *info {
	i := &info{name: name, size: host.Size(), mode: host.Mode(), time: host.ModTime().UTC(), host: host}
	i.attr = attrOf(host)
	i.attr.UID, i.attr.GID = Owner, Owner
	return i
}

// Same says whether two infos of a view are of one file.
func Same(a, b fs.FileInfo) bool {
	x, ok := a.(*info)
	y, also := b.(*info)
	if !ok || !also {
		return false
	}
	if x.host != nil && y.host != nil {
		return os.SameFile(x.host, y.host)
	}
	return x.host == nil && y.host == nil && x.attr.Ino == y.attr.Ino
}

// virtualInfo gives the info of something that is not on the host; key tells it from others.
func virtualInfo(name, key string, mode fs.FileMode, size int64) *info {
	h := fnv.New64a()
	_, _ = h.Write([]byte(key)) // it never fails
	epoch := time.Unix(0, 0).UTC()
	return &info{name: name, size: size, mode: mode, time: epoch, attr: Attr{
		UID: Owner, GID: Owner, Ino: h.Sum64(), Nlink: 1, Blocks: (size + 511) / 512, ATime: epoch, CTime: epoch,
	}}
}

// entry is a name in a directory. Its info is looked up when it is asked for.
type entry struct {
	v    *View
	dir  string
	name string
	mode fs.FileMode // type
}

func (e *entry) Name() string      { return e.name }
func (e *entry) IsDir() bool       { return e.mode.IsDir() }
func (e *entry) Type() fs.FileMode { return e.mode }

func (e *entry) Info() (fs.FileInfo, error) { return e.v.Lstat(e.dir + "/" + e.name) }
