package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"runtime/debug"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// Where a worker finds its end, and how it is called.
const (
	Arg0 = "swarm-shell-worker" // argument zero of a worker
	FD   = 3                    // its end of the socket
)

// MaxCall is the most that a [Call] takes, in bytes as it is sent.
const MaxCall = 8 << 20

// Greeting is said by both ends before anything else.
type Greeting struct {
	Protocol int
	Build    string        // of the program: another one is refused
	Limits   limits.Limits // of Setup: what the worker bounds itself to before hello
	Empty    []byte        // of Setup: an empty directory of the host to try itself in
}

// Build gives what tells this program from another build of it.
func Build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	sum := sha256.Sum256([]byte(info.String()))
	return hex.EncodeToString(sum[:])
}

// Call is a call as the worker is given it. Texts are bytes, as a host's names and
// arguments need not be UTF-8.
type Call struct {
	Command   []byte
	Name      []byte   `json:",omitempty"`
	Args      [][]byte `json:",omitempty"`
	Dir       []byte
	Env       [][]byte
	Host      []byte // directory of the host that is "/"
	Tmp       []byte `json:",omitempty"` // directory of the host that is "/tmp"
	Roots     view.Roots
	Used      *view.Usage `json:",omitempty"`
	ReadOnly  bool        `json:",omitempty"`
	Limits    limits.Limits
	Stdin     bool `json:",omitempty"` // there is standard input to ask for
	FromInput bool `json:",omitempty"`
	Prompt    bool `json:",omitempty"`
}

// Report says how a call ended, or stands at the moment.
type Report struct {
	Code    int
	Hit     *limits.Hit `json:",omitempty"` // the limit that ended it
	Stopped bool        `json:",omitempty"` // it was stopped from outside before it was over
	Fault   string      `json:",omitempty"` // what went wrong in the program
	Dir     string      `json:",omitempty"` // why the working directory cannot be: "" or a reason
	NoDir   bool        `json:",omitempty"` // with Dir: it is something else than a directory
	Near    bool        `json:",omitempty"` // of State: half of the memory is in use; it says nothing else
	Writing []string    `json:",omitempty"` // files that were open for writing
}

// Encode gives a message as JSON. A message that cannot be encoded panics: all are plain data.
func Encode(message any) []byte {
	data, err := json.Marshal(message)
	if err != nil {
		panic(err)
	}
	return data
}

// Of a report, so that it fits into a frame even when each byte becomes an escape of six.
const (
	maxFault   = 4 << 10 // bytes
	maxWriting = 5       // files
	maxName    = 1 << 10 // bytes of each
)

// Frame gives a report as a frame of a type. What is too long for one is cut.
func (r Report) Frame(t Type) []byte {
	r.Fault = r.Fault[:min(len(r.Fault), maxFault)]
	writing := r.Writing[:min(len(r.Writing), maxWriting)]
	r.Writing = nil
	for _, name := range writing {
		r.Writing = append(r.Writing, name[:min(len(name), maxName)])
	}
	return Append(nil, t, Encode(r))
}

// Decode reads a message.
func Decode[T any](data []byte) (T, error) {
	var message T
	if err := json.Unmarshal(data, &message); err != nil {
		return message, fmt.Errorf("a message that cannot be read: %w", err)
	}
	return message, nil
}
