package files

import (
	"io/fs"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/strftime"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// The one owner and group of the view.
const (
	agentID   = view.Owner
	agentName = "agent"
)

// attr is what the system knows of a file beyond [fs.FileInfo].
type attr struct {
	uid, gid         int
	ino, dev, links  uint64
	blocks           int64 // of 512 bytes
	accessed, change time.Time
}

func attrOf(info fs.FileInfo) attr {
	if a, ok := info.Sys().(*view.Attr); ok {
		return attr{a.UID, a.GID, a.Ino, a.Dev, a.Nlink, a.Blocks, a.ATime, a.CTime}
	}
	return attr{uid: agentID, gid: agentID, links: 1, blocks: ceilDiv(info.Size(), 512), accessed: info.ModTime(), change: info.ModTime()}
}

// timeOf gives the access (a), change (c) or modification time of a file.
func timeOf(info fs.FileInfo, which byte) time.Time {
	switch which {
	case 'a':
		return attrOf(info).accessed
	case 'c':
		return attrOf(info).change
	}
	return info.ModTime()
}

// stamp gives a time in a format of date.
func stamp(format string, t time.Time) string { return string(strftime.Date(nil, format, t)) }
