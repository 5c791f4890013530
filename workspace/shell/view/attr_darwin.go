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
		ATime: time.Unix(s.Atimespec.Sec, s.Atimespec.Nsec).UTC(),
		CTime: time.Unix(s.Ctimespec.Sec, s.Ctimespec.Nsec).UTC(),
	}
}
