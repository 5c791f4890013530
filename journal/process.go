package journal

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
)

// process identifies the process of a holder.
type process struct {
	host    string
	pid     int
	started string // tells this process from another one that gets the same pid later
}

// thisProcess identifies the process that runs this.
func thisProcess() process {
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "localhost"
	}
	p := process{host: host, pid: os.Getpid()}
	p.started = startedAt(p.pid)
	return p
}

// newHolder names one opening of a store.
func (p process) newHolder() string {
	var id [4]byte
	_, _ = rand.Read(id[:]) // never fails
	return fmt.Sprintf("%s/%d/%s", p.host, p.pid, hex.EncodeToString(id[:]))
}
