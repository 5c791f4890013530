package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/journal"
)

// Fault is one breach of the rules that every request must keep. It means a bug of the
// runtime, never of a model or a server.
type Fault struct {
	Rule   string // e.g. "pairing.missing_result"
	Place  string // e.g. "messages[3].calls[0]"
	Detail string // for people; "" when the rule says it all
}

// String gives rule, place and detail in one line.
func (f Fault) String() string {
	s := f.Rule + " at " + f.Place
	if f.Detail != "" {
		s += ": " + f.Detail
	}
	return s
}

// maxFaults bounds a report: the first few say where the bug is.
const maxFaults = 20

// maxKept is the number of keys up to which a borrowed checker keeps its map.
const maxKept = 128

// maxName is the longest legal model name in bytes, the least that providers take.
const maxName = 64

// Validate checks a whole request from scratch and gives what is wrong, nil when it may
// be sent. It is pure, ignores Request.Checked and may be called concurrently.
//
// The rules are the union of what the strictest providers demand: every call has exactly
// one result in the tool message right after it, in call order, and no result is without
// a call; call keys and tool names are unique; arguments are objects; no text is empty,
// has a NUL or is not UTF-8; the first message is the user's or the host's, and the model
// is the next to speak.
func Validate(req *Request) []Fault {
	c := checkers.Get().(*Checker)
	defer c.release()
	c.Reset()
	return c.Check(req)
}

// Guard is the check that providers make: Validate without the first Request.Checked
// messages, and without tools that were seen before. It gives a permanent [*Error] with
// code "model.request_invalid" that names rule and place, or nil.
func Guard(req *Request) error {
	c := checkers.Get().(*Checker)
	defer c.release()
	from := min(max(req.Checked, 0), len(req.Messages))
	c.forget(from)
	faults := c.Check(req)
	if len(faults) == 0 {
		return nil
	}
	detail := "request refused before it was sent: " + faults[0].String()
	if n := len(faults) - 1; n > 0 {
		detail += fmt.Sprintf(" (and %d more)", n)
	}
	return &Error{Class: ClassPermanent, Code: "model.request_invalid", Detail: detail}
}

var checkers = sync.Pool{New: func() any { return new(Checker) }}

// Checker validates the growing requests of one invocation: what an earlier request was
// validated with is not looked at again, so a request with one more turn costs that turn.
// It knows a history again by its length and its first and last message; who changes a
// history in the middle (a sweep, a compaction that keeps the length) calls Reset. The
// zero value is ready. Not safe for concurrent use.
type Checker struct {
	n           int // messages that were validated
	trusted     int // of them, messages that were taken on trust and have no keys in seen
	first, last Message
	seen        map[string]struct{} // first 24 digits of the call keys so far
	toolsHash   string
	system      string
	buf         []byte
	faults      []Fault
}

// Reset forgets everything.
func (c *Checker) Reset() {
	c.forget(0)
	c.toolsHash, c.system = "", ""
}

// Trust takes the tools with this hash and this system text as validated already.
func (c *Checker) Trust(toolsHash, system string) { c.toolsHash, c.system = toolsHash, system }

// release gives a borrowed checker back without the history it saw.
func (c *Checker) release() {
	if len(c.seen) > maxKept {
		c.seen = nil // clearing a large map costs every later use
	}
	c.forget(0)
	checkers.Put(c)
}

// forget makes c begin at message from, whatever history it sees.
func (c *Checker) forget(from int) {
	c.n, c.trusted = from, from
	c.first, c.last = Message{}, Message{}
	clear(c.seen)
}

// Checked gives the number of messages at the front that need no further look.
func (c *Checker) Checked() int { return c.n }

// Check validates what is new in req and gives what is wrong, nil when it may be sent.
func (c *Checker) Check(req *Request) []Fault {
	c.faults = nil
	c.checkHead(req)
	if !c.knows(req.Messages) {
		c.forget(0)
	}
	if c.seen == nil {
		c.seen = make(map[string]struct{})
	}
	c.checkMessages(req.Messages)
	if c.faults != nil {
		faults := c.faults
		c.Reset()
		c.faults = nil
		return faults
	}
	c.toolsHash, c.system = req.ToolsHash, req.System
	c.n = len(req.Messages)
	c.first, c.last = req.Messages[0], req.Messages[c.n-1]
	return nil
}

// knows says whether the history goes on from the one that was validated.
func (c *Checker) knows(ms []Message) bool {
	if c.n == 0 || c.n > len(ms) {
		return c.n == 0
	}
	if c.trusted == c.n { // taken on trust as a whole
		return true
	}
	return same(&ms[0], &c.first) && same(&ms[c.n-1], &c.last)
}

// same compares what tells messages apart. Equal strings are mostly the same string,
// which costs no look at the bytes.
func same(a, b *Message) bool {
	if a.Role != b.Role || a.Turn != b.Turn || len(a.Calls) != len(b.Calls) ||
		len(a.Results) != len(b.Results) || len(a.Native) != len(b.Native) || len(a.Images) != len(b.Images) {
		return false
	}
	for i := range a.Calls {
		if a.Calls[i].Key != b.Calls[i].Key {
			return false
		}
	}
	for i := range a.Results {
		if a.Results[i].Key != b.Results[i].Key || a.Results[i].Text != b.Results[i].Text || len(a.Results[i].Images) != len(b.Results[i].Images) {
			return false
		}
	}
	return a.Text == b.Text
}

func (c *Checker) fault(rule, place, detail string) {
	if len(c.faults) < maxFaults {
		c.faults = append(c.faults, Fault{Rule: rule, Place: place, Detail: detail})
	}
}

// checkHead looks at everything but the messages, unless it is what was seen last.
func (c *Checker) checkHead(req *Request) {
	if req.System != c.system {
		c.checkText(req.System, func() string { return "system" })
	}
	if req.ToolsHash == "" || req.ToolsHash != c.toolsHash {
		c.checkTools(req.Tools)
	}
	switch req.Choice.Mode {
	case "", "auto", "none":
	case "required":
		if len(req.Tools) == 0 {
			c.fault("choice.no_tools", "choice", "a call is required and there are no tools")
		}
	case "specific":
		found := false
		for i := range req.Tools {
			found = found || req.Tools[i].Name == req.Choice.Name
		}
		if !found {
			c.fault("choice.unknown_tool", "choice", fmt.Sprintf("%q is not in the tool list", req.Choice.Name))
		}
	default:
		c.fault("choice.mode", "choice", fmt.Sprintf("%q is not auto, none, required or specific", req.Choice.Mode))
	}
}

func (c *Checker) checkTools(tools []ToolDef) {
	for i := range tools {
		t := &tools[i]
		place := func() string { return fmt.Sprintf("tools[%d]", i) }
		if !ValidName(t.Name) {
			c.fault("name.illegal", place(), fmt.Sprintf("%q", t.Name))
		}
		for j := range i {
			if o := tools[j].Name; len(o) == len(t.Name) && strings.EqualFold(o, t.Name) {
				c.fault("name.duplicate", place(), fmt.Sprintf("%q is also tools[%d]", t.Name, j))
			}
		}
		c.checkText(t.Description, place)
		if !object(t.Schema) {
			c.fault("schema.not_object", place(), "")
		}
	}
}

func (c *Checker) checkMessages(ms []Message) {
	if len(ms) == 0 {
		c.fault("order.empty", "messages", "a request has at least one message")
		return
	}
	from := c.n
	for from > 0 && ms[from-1].Role == Assistant { // its results are still to be seen
		from--
	}
	if from == 0 && ms[0].Role != User && ms[0].Role != Host {
		c.fault("order.first", "messages[0]", "the first message is of the user or the host, not "+string(ms[0].Role))
	}
	for i := from; i < len(ms) && len(c.faults) < maxFaults; i++ {
		var before *Message
		if i > 0 {
			before = &ms[i-1]
		}
		c.checkMessage(&ms[i], before, i)
	}
	if last := &ms[len(ms)-1]; last.Role == Assistant {
		rule := "order.last"
		if len(last.Calls) > 0 {
			rule = "pairing.missing_result"
		}
		c.fault(rule, fmt.Sprintf("messages[%d]", len(ms)-1), "the last message is the model's own")
	}
}

func (c *Checker) checkMessage(m, before *Message, i int) {
	place := func() string { return fmt.Sprintf("messages[%d]", i) }
	open := before != nil && before.Role == Assistant && len(before.Calls) > 0
	if open && m.Role != Tool {
		c.fault("pairing.missing_result", fmt.Sprintf("messages[%d]", i-1), "its calls are not answered by the next message")
	}
	c.checkText(m.Text, place)
	switch m.Role {
	case User, Host:
		if m.Text == "" {
			c.fault("text.empty", place(), "")
		}
	case Assistant:
		if before != nil && before.Role == Assistant {
			c.fault("order.alternate", place(), "two messages of the model in a row")
		}
		if m.Text == "" && len(m.Calls) == 0 {
			c.fault("text.empty", place(), "neither text nor call")
		}
		c.checkCalls(m, i)
	case Tool:
		if !open {
			c.fault("pairing.no_call", place(), "results without calls right before them")
			return
		}
		c.checkResults(m, before, i)
	default:
		c.fault("order.role", place(), fmt.Sprintf("%q is no role", m.Role))
	}
	if m.Role != Assistant && (len(m.Calls) > 0 || len(m.Native) > 0) {
		c.fault("order.part", place(), "calls and native parts are the model's only")
	}
	c.checkImages(m.Images, place)
	if len(m.Images) > 0 && m.Role != User {
		c.fault("image.part", place(), "images stand in messages of the user and in results only")
	}
	if m.Role != Tool && len(m.Results) > 0 {
		c.fault("order.part", place(), "results stand in tool messages only")
	}
	if m.Role == Tool && m.Text != "" {
		c.fault("order.part", place(), "a tool message has no text of its own")
	}
}

func (c *Checker) checkCalls(m *Message, i int) {
	for j := range m.Calls {
		call := &m.Calls[j]
		place := func() string { return fmt.Sprintf("messages[%d].calls[%d]", i, j) }
		id := call.Key
		if len(id) > wireDigits {
			id = id[:wireDigits]
		}
		if _, twice := c.seen[id]; twice {
			c.fault("pairing.key_twice", place(), "call key "+id)
		}
		c.seen[id] = struct{}{}
		if !legalKey(id) {
			c.fault("pairing.key", place(), fmt.Sprintf("%q is not a legal call id", id))
		}
		if !ValidName(call.Name) {
			c.fault("name.illegal", place(), fmt.Sprintf("%q", call.Name))
		}
		c.checkText(call.Args, place)
		c.buf = append(c.buf[:0], call.Args...)
		if !object(c.buf) {
			c.fault("arguments.not_object", place(), "")
		}
	}
}

func (c *Checker) checkResults(m, before *Message, i int) {
	for j := range m.Results {
		res := &m.Results[j]
		place := func() string { return fmt.Sprintf("messages[%d].results[%d]", i, j) }
		if j >= len(before.Calls) {
			c.fault("pairing.no_call", place(), "more results than calls")
			break
		}
		if call := &before.Calls[j]; res.Key != call.Key {
			c.fault("pairing.order", place(), fmt.Sprintf("has key %q, the call in its place %q", res.Key, call.Key))
		} else if res.Name != call.Name {
			c.fault("pairing.name", place(), fmt.Sprintf("is named %q, its call %q", res.Name, call.Name))
		}
		if res.Text == "" {
			c.fault("result.empty", place(), "")
		}
		c.checkText(res.Text, place)
		c.checkImages(res.Images, place)
	}
	if n := len(before.Calls); len(m.Results) < n {
		c.fault("pairing.missing_result", fmt.Sprintf("messages[%d]", i), fmt.Sprintf("%d results for %d calls", len(m.Results), n))
	}
}

func (c *Checker) checkText(s string, place func() string) {
	if strings.IndexByte(s, 0) >= 0 {
		c.fault("text.nul", place(), "")
	}
	if !utf8.ValidString(s) {
		c.fault("text.utf8", place(), "")
	}
}

// checkImages looks at what is said of images; nobody reads their bytes here.
func (c *Checker) checkImages(list []journal.Image, place func() string) {
	for i := range list {
		im := &list[i]
		c.checkText(im.Path, place)
		if !ValidImage(im) {
			c.fault("image.unknown", place(), fmt.Sprintf("image %q of type %q has no path, no hash or no bytes, or is not image/png, image/jpeg, image/gif or image/webp", im.Path, im.Media))
		}
	}
}

// ValidImage says whether what is said of an image may stand in a request.
func ValidImage(im *journal.Image) bool {
	return im.Hash != "" && im.Bytes > 0 && im.Path != "" && strings.IndexByte(im.Path, 0) < 0 && utf8.ValidString(im.Path) && slices.Contains(imageMedia[:], im.Media)
}

// object is the cheap check that b is one JSON object.
func object(b []byte) bool {
	return len(b) > 0 && b[0] == '{' && json.Valid(b)
}

// ValidName says whether a name is legal for every provider: [A-Za-z_][A-Za-z0-9_-]{0,63}.
func ValidName(s string) bool {
	if s == "" || len(s) > maxName || s[0] == '-' || '0' <= s[0] && s[0] <= '9' {
		return false
	}
	return legalKey(s)
}

// legalKey says whether s is not empty and only of letters, digits, _ and -.
func legalKey(s string) bool {
	for i := range len(s) {
		switch b := s[i]; {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9', b == '_', b == '-':
		default:
			return false
		}
	}
	return s != ""
}
