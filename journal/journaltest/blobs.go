package journaltest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/journal"
)

func testBlobs(t *testing.T, o Stores) {
	s := o.Open(t)
	for _, size := range []int{0, 1, 64<<10 - 1, 64 << 10, 3 << 20} {
		data := bytes.Repeat([]byte{byte(size), 0xff, 0}, size/3+1)[:size]
		var hash string
		for range 2 {
			var err error
			if hash, err = s.PutBlob(t.Context(), data); err != nil {
				t.Fatalf("put %d bytes: %v", size, err)
			}
		}
		if sum := sha256.Sum256(data); hash != hex.EncodeToString(sum[:]) {
			t.Errorf("the blob of %d bytes is called %s", size, hash)
		}
		got, err := s.GetBlob(t.Context(), hash)
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("get %d bytes: %d, %v", size, len(got), err)
		}
	}
	for _, hash := range []string{strings.Repeat("0", 64), "", "zz", "../../etc/passwd", strings.Repeat("Z", 64)} {
		_, err := s.GetBlob(t.Context(), hash)
		wantCode(t, err, "journal.blob_not_found")
	}
	_, err := s.PutBlob(t.Context(), make([]byte, journal.MaxBlob+1))
	wantCode(t, err, "journal.payload_too_large")
}

func testContents(t *testing.T, o Stores) {
	s := o.Open(t)
	l := start(t, s, "run-1")
	texts := []string{
		"", "short", strings.Repeat("x", journal.MaxInline), strings.Repeat("x", journal.MaxInline+1),
		strings.Repeat("äöü€😀", 30_000), "not UTF-8: \xff\xfe", strings.Repeat("\x00\x01", 5000),
		strings.Repeat("<&>\u2028\"\\\n", 600),
	}
	for n, text := range texts {
		p := &journal.CallSettled{Outcome: journal.Completed, Content: journal.Text(text), Stack: journal.Text(text)}
		store(t, s, l.Batch(l.Next(journal.Scope{Invocation: "root", Turn: n + 1, Call: "c"}, p)))
		if p.Content != journal.Text(text) || p.Stack != journal.Text(text) {
			t.Errorf("text %d: the payload that was appended has changed", n)
		}
	}
	for n, r := range read(t, s, "run-1", journal.Query{From: 2}) {
		p := r.Payload.(*journal.CallSettled)
		if p.Content.Text != texts[n] || p.Stack.Text != texts[n] {
			t.Errorf("text %d came back with %d and %d bytes, not %d", n, len(p.Content.Text), len(p.Stack.Text), len(texts[n]))
		}
	}
}

// testReferences looks at what a store keeps of a large content.
func testReferences(t *testing.T, s journal.Store) {
	l := start(t, s, "run-1")
	text := strings.Repeat("aä😀", 5000)
	store(t, s, l.Batch(l.Next(journal.Scope{}, &journal.ModelAnswered{Text: journal.Text(text)})))
	whole := read(t, s, "run-1", journal.Query{From: 2})[0].Payload.(*journal.ModelAnswered).Text
	bare := read(t, s, "run-1", journal.Query{From: 2, NoBlobs: true})[0].Payload.(*journal.ModelAnswered).Text
	if whole.Text != text || bare.Text != "" {
		t.Errorf("texts have %d and %d bytes", len(whole.Text), len(bare.Text))
	}
	bare.Text = text
	if whole != bare {
		t.Errorf("the contents differ otherwise too")
	}
	if whole.Size != len(text) || whole.Chars != utf8.RuneCountInString(text) ||
		utf8.RuneCountInString(whole.Head) != journal.MaxHead || !strings.HasPrefix(text, whole.Head) {
		t.Errorf("size %d, characters %d, head %q", whole.Size, whole.Chars, whole.Head)
	}
	blob, err := s.GetBlob(t.Context(), whole.Hash)
	if err != nil || string(blob) != text {
		t.Errorf("its blob has %d bytes, %v", len(blob), err)
	}
	// A content by reference alone is kept as one.
	store(t, s, l.Batch(l.Next(journal.Scope{}, &journal.FileChanged{Path: "a", Content: journal.Content{Hash: whole.Hash, Size: len(text)}})))
	if got := read(t, s, "run-1", journal.Query{From: 3})[0].Payload.(*journal.FileChanged).Content; got.Text != text {
		t.Errorf("a reference gave %d bytes", len(got.Text))
	}
	if got := read(t, s, "run-1", journal.Query{From: 3, NoBlobs: true})[0].Payload.(*journal.FileChanged).Content; got.Text != "" {
		t.Errorf("a reference gave %d bytes unasked", len(got.Text))
	}
}

func testTooLarge(t *testing.T, s journal.Store) {
	l := start(t, s, "run-1")
	at := *l
	refused(t, s, l.Batch(l.Next(journal.Scope{}, &journal.RunPaused{Open: []string{strings.Repeat("x", journal.MaxRecord)}})), "journal.payload_too_large")
	*l = at
	refused(t, s, l.Batch(l.Next(journal.Scope{}, &journal.ModelAnswered{
		Text: journal.Text(strings.Repeat("x", journal.MaxBlob+1)),
	})), "journal.payload_too_large")
	*l = at
	// Three contents that are small enough each, and together not once they are escaped.
	text := strings.Repeat("\x01", journal.MaxInline)
	store(t, s, l.Batch(l.Next(journal.Scope{}, &journal.InvocationCreated{
		Path: "root", Snapshot: journal.Text(text), Prompt: journal.Text(text), Brief: journal.Text(text),
	})))
	if p := read(t, s, "run-1", journal.Query{From: 2})[0].Payload.(*journal.InvocationCreated); p.Snapshot.Text != text || p.Brief.Text != text {
		t.Errorf("the contents came back with %d and %d bytes", len(p.Snapshot.Text), len(p.Brief.Text))
	}
}

func testNotEncodable(t *testing.T, s journal.Store) {
	l := start(t, s, "run-1")
	at := *l
	refused(t, s, l.Batch(l.Next(journal.Scope{}, &journal.CallSettled{Structured: json.RawMessage("{")})), "journal.invalid_record")
	*l = at
	raw := json.RawMessage(`{"n":12345678901234567890.10,"s":"<&>"}`)
	store(t, s, l.Batch(l.Next(journal.Scope{}, &journal.CallSettled{Outcome: journal.Completed, Structured: raw})))
	if got := read(t, s, "run-1", journal.Query{From: 2})[0].Payload.(*journal.CallSettled).Structured; string(got) != string(raw) {
		t.Errorf("raw JSON came back as %s", got)
	}
}
