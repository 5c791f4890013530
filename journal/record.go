package journal

import (
	"time"
)

// Record is one fact of a run. A stored record is immutable: its payload and the
// payload's slices may be shared by every reader of the process.
type Record struct {
	V        int       // format version of this type's payload; 1 so far
	Run      string    // run id, sortable by creation
	Epoch    int64     // rises with each change of owner
	Seq      int64     // 1, 2, 3 … dense per run
	Prev     int64     // the record this one follows: Seq-1 except right after a rewind
	At       time.Time // UTC, microseconds; information only, never order
	Scope    Scope
	Cause    int64 // seq of the record that led to this one; 0: none
	Optional bool  // a reader that does not know the type may skip the record
	Payload  Payload

	kept *kept // stored bytes of a payload that has fields unknown to this version
}

// Type gives the type of the record's payload.
func (r *Record) Type() Type { return r.Payload.Type() }

// Scope says what a record is about. Empty fields do not apply.
type Scope struct {
	Invocation string `json:"invocation,omitempty"` // agent path, e.g. "root/critic-002"
	Task       string `json:"task,omitempty"`       // task id, e.g. "task_3"
	Turn       int    `json:"turn,omitempty"`       // 1-based
	Call       string `json:"call,omitempty"`       // call key
}

// Type names a kind of record, in snake case.
type Type string

// Payload is what a record says. Implementations are the pointer types of payload.go.
type Payload interface{ Type() Type }

// Limits of records and blobs (journal spec §2).
const (
	MaxInline = 8 << 10  // bytes of one content that stay in the record
	MaxRecord = 64 << 10 // bytes of one encoded record
	MaxBlob   = 64 << 20 // bytes of one blob
	MaxHead   = 200      // characters of a blob's head that stay in the record
)

// Content is a text or bytes that a record carries. In memory Text is always whole.
// In the store a Text over [MaxInline] bytes becomes a blob and the record keeps
// hash, size, characters and head; a reader gets Text back unless it asked for none.
type Content struct {
	Text  string `json:"text,omitempty"`
	Hash  string `json:"hash,omitempty"`  // SHA-256, hex; set when stored as a blob
	Size  int    `json:"size,omitempty"`  // bytes; with Hash
	Chars int    `json:"chars,omitempty"` // Unicode characters; with Hash
	Media string `json:"media,omitempty"` // empty: UTF-8 text
	Head  string `json:"head,omitempty"`  // at most MaxHead characters; with Hash
}

// Text makes a Content of a text.
func Text(s string) Content { return Content{Text: s} }

// Carrier is implemented by payloads that hold contents. The pointers are into the payload.
type Carrier interface{ Contents() []*Content }
