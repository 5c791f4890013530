package input

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// Bounds of an input. They are far above what a model reads, and keep the frozen form
// within one blob of the journal.
const (
	MaxText     = 16 << 20  // bytes of the text
	MaxMessages = 100_000   // of a conversation; chat.search looks at no more
	MaxContent  = 1_000_000 // characters of one message or entry
	MaxEntries  = 10_000    // lore entries
	MaxKeys     = 100       // of one entry
	MaxLine     = 200       // characters of a name, a key, a time, a position, a uid, a world
	MaxLabels   = 8 << 10   // bytes of all labels, names and values
)

// DefaultScan is how many of the newest messages are searched for keys of lore entries.
const DefaultScan = 4

// Freeze checks an input, activates its lore and gives its frozen form with the changes
// that put its files into the workspace of the run. scan is how many of the newest
// messages are searched for keys, beside the text; 0: [DefaultScan]. Limits bound the
// files; zero fields take their defaults. A pure function.
//
// Errors: "input.empty" when there is neither a text nor a last message of the user,
// "input.labels", "input.too_large" when text or frozen form are over their limits, and
// "input.invalid" with [Faults] as its cause for everything else.
func Freeze(in Input, scan int, limits workspace.Limits) (*Frozen, []workspace.Change, error) {
	const op = "check input"
	size := 0
	for k, v := range in.Labels {
		size += len(k) + len(v)
	}
	if size > MaxLabels {
		return nil, nil, fault.New("input.labels", "the labels hold %d bytes, the limit is %d; shorten them", size, MaxLabels).With(op, "")
	}
	if len(in.Text) > MaxText {
		return nil, nil, fault.New("input.too_large", "the text has %s bytes, the limit is %s; give it as a file and say what to do with it",
			workspace.Grouped(len(in.Text)), workspace.Grouped(MaxText)).With(op, "")
	}
	f := &Frozen{Text: clean(in.Text), Labels: maps.Clone(in.Labels), LoreSize: len(in.Lore)}
	var fs Faults
	f.Messages = messages(in.Messages, &fs)
	entries := lore(in.Lore, &fs)
	changes := f.place(in.Files, limits, &fs)
	if err := fs.invalid(op, ""); err != nil {
		return nil, nil, err
	}
	if err := f.asked(); err != nil {
		return nil, nil, err
	}
	f.Lore = f.activate(entries, scan)
	if n := len(f.Encode()); n > journal.MaxBlob {
		return nil, nil, fault.New("input.too_large", "text, conversation and lore hold %s bytes, the limit is %s; give less of the conversation, or long texts as files",
			workspace.Grouped(n), workspace.Grouped(journal.MaxBlob)).With(op, "")
	}
	return f, changes, nil
}

// Map gives the input with every text of it replaced by what f gives for it, such as one
// without secrets. Names of labels and files stay.
func (in Input) Map(f func(string) string) Input {
	in.Text = f(in.Text)
	in.Messages, in.Lore, in.Files, in.Labels = slices.Clone(in.Messages), slices.Clone(in.Lore), slices.Clone(in.Files), maps.Clone(in.Labels)
	for i := range in.Messages {
		m := &in.Messages[i]
		m.Content, m.Name, m.At = f(m.Content), f(m.Name), f(m.At)
	}
	for i := range in.Lore {
		e := &in.Lore[i]
		e.World, e.UID, e.Name, e.Content, e.Position, e.Keys = f(e.World), f(e.UID), f(e.Name), f(e.Content), f(e.Position), slices.Clone(e.Keys)
		for j, k := range e.Keys {
			e.Keys[j] = f(k)
		}
	}
	for i := range in.Files {
		in.Files[i].Content = []byte(f(string(in.Files[i].Content)))
	}
	for k, v := range in.Labels {
		in.Labels[k] = f(v)
	}
	return in
}

// asked refuses an input in which nobody asks anything.
func (f *Frozen) asked() error {
	if strings.TrimSpace(f.Text) != "" {
		return nil
	}
	f.Text = ""
	if len(f.Messages) == 0 {
		return fault.New("input.empty", "the run has no input; give it a text")
	}
	last := f.Messages[len(f.Messages)-1]
	switch {
	case last.Role != User:
		return fault.New("input.empty", "the run has no text and the last message of its conversation has the role %s; give a text, or a conversation that ends with the user", last.Role)
	case strings.TrimSpace(last.Content) == "":
		return fault.New("input.empty", "the run has no text and the last message of its conversation is blank; give a text")
	}
	return nil
}

func messages(given []Message, fs *Faults) []Message {
	if len(given) > MaxMessages {
		fs.add(Fault{Place: "messages", Text: fmt.Sprintf("the conversation has %s messages, the limit is %s", workspace.Grouped(len(given)), workspace.Grouped(MaxMessages)), Mend: mendMessages})
		return nil
	}
	var out []Message
	for i, m := range given {
		if m.check(func(f Fault) { fs.within("messages["+strconv.Itoa(i)+"]", f) }); fs.full() {
			return nil
		}
		out = append(out, Message{Role: m.Role, Content: clean(m.Content), Name: strings.TrimSpace(clean(m.Name)), At: strings.TrimSpace(clean(m.At))})
	}
	return out
}

func lore(given []Entry, fs *Faults) []Entry {
	if len(given) > MaxEntries {
		fs.add(Fault{Place: "lore", Text: fmt.Sprintf("there are %s entries, the limit is %s", workspace.Grouped(len(given)), workspace.Grouped(MaxEntries)), Mend: mendEntries})
		return nil
	}
	var out []Entry
	seen := make(map[string]int, len(given))
	for i, e := range given {
		place := "lore[" + strconv.Itoa(i) + "]"
		if e.UID == "" {
			e.UID = "#" + strconv.Itoa(i+1)
		}
		e.check(func(f Fault) { fs.within(place, f) })
		e.World, e.UID, e.Name, e.Position, e.Content = clean(e.World), clean(e.UID), strings.TrimSpace(clean(e.Name)), clean(e.Position), clean(e.Content)
		if first, twice := seen[e.ref()]; twice {
			fs.add(Fault{Place: place + ".uid", Text: fmt.Sprintf("the reference %q is that of lore[%d] too", short(e.ref()), first), Mend: mendUID})
		}
		seen[e.ref()] = i
		if fs.full() {
			return nil
		}
		out = append(out, e)
	}
	slices.SortStableFunc(out, func(a, b Entry) int { return cmp.Compare(a.Order, b.Order) })
	return out
}

// ref names an entry for those who read it.
func (e *Entry) ref() string {
	if e.World == "" {
		return e.UID
	}
	return e.World + "/" + e.UID
}

// place checks the files and notes them.
func (f *Frozen) place(files []File, limits workspace.Limits, fs *Faults) []workspace.Change {
	given := make([]workspace.Given, len(files))
	for i := range files {
		given[i] = workspace.Given(files[i])
	}
	changes, errs := workspace.PlaceGiven(given, limits)
	for i, err := range errs {
		if err != nil {
			fs.add(Fault{Place: fmt.Sprintf("files[%d] %q", i, short(files[i].Path)), Text: sentence(err)})
		}
	}
	for _, c := range changes {
		f.Files = append(f.Files, refer(&c))
	}
	return changes
}

// sentence gives an error of the program without its code.
func sentence(err error) string {
	return strings.TrimSuffix(err.Error(), " ["+fault.Code(err)+"]")
}
