package view

import (
	"io/fs"
	"syscall"
	"time"
)

// openNoWait lets an open never wait, whatever is opened.
const openNoWait = syscall.O_NONBLOCK

func attrOf(host fs.FileInfo) Attr {
	s, ok := host.Sys().(*syscall.Stat_t)
	if !ok {
		return Attr{Nlink: 1, ATime: host.ModTime().UTC(), CTime: host.ModTime().UTC()}
	}
	return Attr{
		Ino: s.Ino, Dev: uint64(s.Dev), Nlink: uint64(s.Nlink), Blocks: s.Blocks,
		ATime: time.Unix(int64(s.Atim.Sec), int64(s.Atim.Nsec)).UTC(),
		CTime: time.Unix(int64(s.Ctim.Sec), int64(s.Ctim.Nsec)).UTC(),
	}
}
