package wire

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestFramesComeAsTheyWent(t *testing.T) {
	t.Parallel()
	full := bytes.Repeat([]byte("x"), MaxPayload)
	var sent []byte
	sent = Append(sent, Out, []byte("hello"))
	sent = Append(sent, Stop, nil)
	sent = Append(sent, Part, full)
	start := len(sent)
	sent = Append(sent, Err, []byte("a"))
	sent = Grow(sent, start, []byte("b"))
	if room := Room(sent, start); room != MaxPayload-2 {
		t.Errorf("room for %d", room)
	}
	r := NewReader(inBits{bytes.NewReader(sent)})
	for i, want := range []struct {
		t Type
		p string
	}{{Out, "hello"}, {Stop, ""}, {Part, string(full)}, {Err, "ab"}} {
		kind, p, err := r.Next()
		if kind != want.t || string(p) != want.p || err != nil {
			t.Errorf("frame %d: %q with %d bytes, %v", i, kind, len(p), err)
		}
	}
	if _, _, err := r.Next(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

// inBits reads a few bytes at a time.
type inBits struct{ r io.Reader }

func (o inBits) Read(p []byte) (int, error) { return o.r.Read(p[:min(len(p), 3)]) }

func TestFramesThatAreNone(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		sent string
		want error
	}{
		"nothing":           {"", io.EOF},
		"half a header":     {"\x00\x00", io.ErrUnexpectedEOF},
		"half a payload":    {"\x00\x00\x00\x05oab", io.ErrUnexpectedEOF},
		"a header alone":    {"\x00\x00\x00\x05o", io.ErrUnexpectedEOF},
		"longer than a one": {"\x00\x01\x00\x01o", &Oversized{MaxPayload + 1}},
	} {
		_, _, err := NewReader(strings.NewReader(row.sent)).Next()
		if long, ok := errors.AsType[*Oversized](row.want); ok {
			if got, ok := errors.AsType[*Oversized](err); !ok || *got != *long {
				t.Errorf("%s: %v", name, err)
			}
		} else if err != row.want {
			t.Errorf("%s: %v, want %v", name, err, row.want)
		}
	}
}

func FuzzNext(f *testing.F) {
	f.Add(Append(Append(nil, Out, []byte("x")), End, []byte("{}")))
	f.Add([]byte("\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, sent []byte) {
		r := NewReader(bytes.NewReader(sent))
		for read := 0; ; {
			kind, p, err := r.Next()
			if err != nil {
				return
			}
			if again := Append(nil, kind, p); !bytes.Equal(again, sent[read:read+len(again)]) {
				t.Fatalf("the frame at %d of %q is %q", read, sent, again)
			}
			read += header + len(p)
		}
	})
}

func TestReportFitsIntoAFrame(t *testing.T) {
	t.Parallel()
	r := Report{Hit: &limits.Hit{Name: "loops"}, Fault: strings.Repeat("\x00", 1<<20)}
	for range 1000 {
		r.Writing = append(r.Writing, strings.Repeat("\x01", 4096))
	}
	kind, p, err := NewReader(bytes.NewReader(r.Frame(End))).Next()
	if kind != End || err != nil {
		t.Fatalf("%q, %v", kind, err)
	}
	got, err := Decode[Report](p)
	if len(got.Writing) != maxWriting || got.Hit.Name != "loops" || err != nil {
		t.Errorf("%d files, %v", len(got.Writing), err)
	}
}
