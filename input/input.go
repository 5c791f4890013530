package input

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// Input is what a run is given. It is frozen at the start: later changes of its slices
// and maps mean nothing to the run.
type Input struct {
	// Text is what the run is asked. It may be empty only when the last of Messages is
	// of the user. At most 16 MiB.
	Text string
	// Messages are a conversation that came before, oldest first; nil: there is none.
	// The first agent begins with the newest of them, as its profile's context.messages
	// says; all agents can search and read all of them with tools.
	Messages []Message
	// Lore are background entries. Those that are constant, or whose key occurs in the
	// text or in the newest messages, stand before the conversation.
	Lore []Entry
	// Files are put below input/ of the run's workspace, where agents can read and not
	// write.
	Files []File
	// Labels are kept with the run for lists and searches. Names and values together
	// hold at most 8 KiB.
	Labels map[string]string
}

// Roles of a [Message]. System and tool messages are shown to a model as quotations of
// the conversation, never as system text or results of its own.
const (
	User      = "user"
	Assistant = "assistant"
	System    = "system"
	Tool      = "tool"
)

// Message is one entry of a conversation.
type Message struct {
	Role    string `json:"role"` // user, assistant, system or tool
	Content string `json:"content"`
	Name    string `json:"name,omitempty"` // of the speaker; one line
	At      string `json:"at,omitempty"`   // when it was sent, as the source says it; one line, never interpreted
}

// Entry is a lore entry.
type Entry struct {
	World    string   // collection that it belongs to; may be empty
	UID      string   // unique in its world; empty: "#" and its number in the list
	Name     string   // title; one line
	Keys     []string // words or phrases that activate it
	Content  string   // not blank
	Constant bool     // activated always
	Position string   // as the source says it; kept for readers
	Order    int      // lower ones stand first; equal ones in the order given
}

// File is a file that is given with a run.
type File struct {
	Path    string // below input/, with "/", e.g. "docs/plan.md"
	Content []byte // at most 16 MiB
}

// Frozen is an input as the first record of a run keeps it. A nil one is empty.
type Frozen struct {
	Text     string            `json:"text"`
	Labels   map[string]string `json:"labels,omitempty"`
	Messages []Message         `json:"messages,omitempty"`
	Lore     []Activated       `json:"lore,omitempty"`       // in the order in which they are shown
	LoreSize int               `json:"lore_given,omitempty"` // entries that were given, activated or not
	Files    []FileRef         `json:"files,omitempty"`
}

// Activated is a lore entry that belongs to the run.
type Activated struct {
	Ref      string `json:"ref"` // "<world>/<uid>", or "<uid>" without a world
	UID      string `json:"uid,omitempty"`
	Name     string `json:"name,omitempty"`
	Position string `json:"position,omitempty"`
	Constant bool   `json:"constant,omitempty"`
	Content  string `json:"content"`
	Reason   string `json:"reason"` // why it was activated, in words
}

// FileRef names a file of the input. Its content is in the record that puts it into the
// workspace.
type FileRef struct {
	Path   string `json:"path"` // of the workspace, e.g. "input/docs/plan.md"
	SHA256 string `json:"sha256"`
	Bytes  int    `json:"bytes"`

	// Of a picture: its media type, and its pixels or why it is not shown.
	Media   string `json:"media,omitempty"`
	Width   int    `json:"width,omitempty"`
	Height  int    `json:"height,omitempty"`
	Unshown string `json:"unshown,omitempty"`
}

// Scenes of a run (identity spec §4).
const (
	SceneChat    = "chat"
	SceneSession = "session"
)

// Scene is [SceneChat] when there is a conversation, else [SceneSession].
func (f *Frozen) Scene() string {
	if f != nil && len(f.Messages) > 0 {
		return SceneChat
	}
	return SceneSession
}

// HasLore says whether lore entries were given, activated or not.
func (f *Frozen) HasLore() bool { return f != nil && f.LoreSize > 0 }

// Encode gives the frozen input as JSON. Equal inputs give equal bytes.
func (f *Frozen) Encode() string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(f); err != nil {
		panic(err) // it holds texts and numbers only
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// Decode reads what [Frozen.Encode] gave; an empty text is an empty input. Error:
// "input.damaged" for anything else, members that this version does not know included.
func Decode(text string) (*Frozen, error) {
	f := new(Frozen)
	if text == "" {
		return f, nil
	}
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(f); err != nil {
		return nil, fault.Wrap(err, "input.damaged", "this is no frozen input of this version").With("read input", "")
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fault.New("input.damaged", "something follows the frozen input").With("read input", "")
	}
	return f, nil
}
