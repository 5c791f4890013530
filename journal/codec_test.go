package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"hash/crc32"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// appendTestSum ends a line that has everything but its sum.
func appendTestSum(covered []byte) []byte {
	line := append(bytes.Clone(covered), sumMember...)
	line = appendSum(line, crc32.Checksum(covered, castagnoli))
	return append(line, `"}`...)
}

func sample(p Payload) Record {
	return Record{
		V: 1, Run: "run-1", Epoch: 2, Seq: 7, Prev: 6, At: time.Date(2026, 3, 1, 9, 0, 0, 1234000, time.UTC), Payload: p,
	}
}

func TestEncodeIsCanonical(t *testing.T) {
	t.Parallel()
	r := sample(&CallChecked{Decision: "allow", By: "mode <auto>"})
	r.Scope = Scope{Invocation: "root/ö", Task: "task_1", Turn: 3, Call: "c\"1"}
	r.Cause, r.Optional = 5, true
	line, blobs, err := Encode(&r)
	if err != nil || len(blobs) != 0 {
		t.Fatal(blobs, err)
	}
	want := `{"v":1,"run":"run-1","epoch":2,"seq":7,"prev":6,"at":"2026-03-01T09:00:00.001234Z","type":"call_checked",` +
		`"optional":true,"scope":{"invocation":"root/ö","task":"task_1","turn":3,"call":"c\"1"},"cause":5,` +
		`"payload":{"decision":"allow","by":"mode <auto>"},"sum":"`
	if !strings.HasPrefix(string(line), want) || len(line) != len(want)+10 || !json.Valid(line) {
		t.Errorf("the line is\n%s\nwant\n%s", line, want)
	}
	got, err := Decode(line, nil)
	if err != nil || !reflect.DeepEqual(got, r) {
		t.Errorf("decoded %+v, %v", got, err)
	}
}

func TestDecodeKeepsUnknownFields(t *testing.T) {
	t.Parallel()
	const start = `{"v":1,"run":"r","epoch":1,"seq":2,"prev":1,"at":"2026-03-01T09:00:00.000000Z","type":`
	for _, row := range []struct{ name, rest string }{
		{"field", `"run_resumed","scope":{},"payload":{"from":"crash","why":{"n":1.50}}`},
		{"nested field", `"run_ended","scope":{},"payload":{"outcome":"failed","usage":{"new":1}}`},
		{"field of a carrier", `"task_ended","scope":{},"payload":{"new":"<","result_blob":{"hash":"ab","size":1}},"blobs":["ab"]`},
		{"type", `"from_tomorrow","optional":true,"scope":{"turn":1},"payload":{"a":[1,2.50],"s":"\u2028<"},"blobs":["ab","cd"]`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			line := appendTestSum([]byte(start + row.rest))
			r, err := Decode(line, nil)
			if err != nil {
				t.Fatal(err)
			}
			again, _, err := Encode(&r)
			if err != nil || !bytes.Equal(again, line) {
				t.Errorf("encoded again\n%s, %v\nwant\n%s", again, err, line)
			}
			bare, cp := withoutText(r), r
			if again, _, err = Encode(&bare); err != nil || !bytes.Equal(again, line) {
				t.Errorf("encoded without text\n%s, %v\nwant\n%s", again, err, line)
			}
			cp.Payload = &TaskStarted{Invocation: "root"} // another payload is not kept from being written
			if again, _, err = Encode(&cp); err != nil || !bytes.Contains(again, []byte(`"payload":{"invocation":"root"}`)) {
				t.Errorf("a changed record is\n%s, %v", again, err)
			}
		})
	}
}

func TestDecodeSlowWay(t *testing.T) {
	t.Parallel()
	r := sample(&TaskStarted{Invocation: "root"})
	want, _, err := Encode(&r)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`{"run":"run-1","v":1,"epoch":2,"seq":7,"prev":6,"at":"2026-03-01T10:00:00.001234+01:00","payload":{"invocation":"root"},"scope":{},"type":"task_started"`,
		`{"v":1,"run":"run-1","epoch":2,"seq":7,"prev":6,"at":"2026-03-01T09:00:00.001234Z","type":"task_started","scope":{},"payload":{"invocation":"root"},"new":{"a":1}`,
		`{"v":1,"run":"run-1","epoch":2,"seq":7,"prev":6,"at":"2026-03-01T09:00:00.001234Z","type":"task_started","scope":{},"payload":{"invocation":"root"},"new":[1]`,
		`{"v":1,"run":"run-\u0031","epoch":2,"seq":7,"prev":6,"at":"2026-03-01T09:00:00.001234Z","type":"task_started","scope":{},"payload":{"invocation":"root"}`,
	} {
		got, err := Decode(appendTestSum([]byte(line)), nil)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if again, _, err := Encode(&got); err != nil || !bytes.Equal(again, want) {
			t.Errorf("%s is\n%s, %v", line, again, err)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	const start = `{"v":1,"run":"r","epoch":1,"seq":2,"prev":1,"at":"2026-03-01T09:00:00.000000Z","type":`
	for _, row := range []struct{ name, covered, code, says string }{
		{"unknown type", start + `"from_tomorrow","scope":{},"payload":{}`, "journal.version_unsupported", "from_tomorrow"},
		{"newer version", `{"v":3` + start[6:] + `"run_resumed","scope":{},"payload":{"from":"x"}`, "journal.version_unsupported", "version 3"},
		{"payload of another kind", start + `"run_resumed","scope":{},"payload":{"from":1}`, "journal.damaged", "record 2"},
		{"payload no object", start + `"run_resumed","scope":{},"payload":[]`, "journal.damaged", "envelope"},
		{"payload cut", start + `"run_resumed","scope":{},"payload":{"from":"x"`, "journal.damaged", "envelope"},
		{"two payloads", start + `"run_resumed","scope":{},"payload":{}{}`, "journal.damaged", "payload"},
		{"bad time", strings.Replace(start, "03-01", "02-30", 1) + `"run_resumed","scope":{},"payload":{}`, "journal.damaged", "envelope"},
		{"empty", ``, "journal.damaged", "envelope"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, err := Decode(appendTestSum([]byte(row.covered)), nil)
			if fault.Code(err) != row.code || !strings.Contains(err.Error(), row.says) {
				t.Errorf("error is %v", err)
			}
		})
	}
}

func TestDecodeFindsEachFlip(t *testing.T) {
	t.Parallel()
	r := sample(&CallSettled{Outcome: Completed, Content: Text("some text")})
	line, _, err := Encode(&r)
	if err != nil {
		t.Fatal(err)
	}
	for i := range line {
		for bit := range 8 {
			line[i] ^= 1 << bit
			if _, err := Decode(line, nil); fault.Code(err) != "journal.damaged" {
				t.Errorf("bit %d of byte %d: %v", bit, i, err)
			}
			line[i] ^= 1 << bit
		}
		if _, err := Decode(line[:i], nil); fault.Code(err) != "journal.damaged" {
			t.Errorf("cut at byte %d: %v", i, err)
		}
	}
}

func TestDecodeMissingBlob(t *testing.T) {
	t.Parallel()
	r := sample(&CallSettled{Content: Text(strings.Repeat("x", MaxInline+1))})
	line, blobs, err := Encode(&r)
	if err != nil || len(blobs) != 1 {
		t.Fatal(blobs, err)
	}
	_, err = Decode(line, func(hash string) ([]byte, error) { return nil, blobNotFound(hash) })
	var d *Damage
	if !errors.As(err, &d) || d.Seq != 7 || d.Run != "run-1" || !strings.Contains(d.Reason, blobs[0].Hash) {
		t.Errorf("error is %v", err)
	}
}

// TestOldFormats reads a file of each released format.
func TestOldFormats(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/records-v1.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	seen := make(map[Type]bool)
	for i, line := range lines {
		r, err := Decode(line, nil)
		if err != nil {
			t.Errorf("line %d: %v", i+1, err)
			continue
		}
		if r.kept != nil {
			t.Errorf("line %d: %s has fields that are not known any more", i+1, r.Type())
		}
		seen[r.Type()] = true
	}
	if len(seen) < 46 {
		t.Errorf("%d types are in the file", len(seen))
	}
}

func TestHeads(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"short", "äb", "äb"},
		{"exact", strings.Repeat("ä", MaxHead), strings.Repeat("ä", MaxHead)},
		{"long", strings.Repeat("😀", MaxHead+1), strings.Repeat("😀", MaxHead)},
		{"not UTF-8", "a\xffb", "a\uFFFDb"},
	} {
		if got := headOf(row.text); got != row.want {
			t.Errorf("%s: %q", row.name, got)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, p := range []Payload{
		&RunResumed{From: "crash"}, &CallSettled{Content: Text(strings.Repeat("é", MaxInline))},
		&UnknownPayload{Name: "from_tomorrow", Raw: json.RawMessage(`{"a":1}`), Blobs: []string{"ab"}},
	} {
		r := sample(p)
		r.Optional = true
		line, _, err := Encode(&r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		checkDecode(t, line)
		if n := len(line) - sumLen; n > 0 { // behind the sum there is more to try
			checkDecode(t, appendTestSum(line[:n]))
		}
		checkDecode(t, appendTestSum(line))
	})
}

// checkDecode checks that a line is refused with a code, or means the same on each way
// and after another turn.
func checkDecode(t *testing.T, line []byte) {
	r, err := Decode(line, func(hash string) ([]byte, error) { return nil, blobNotFound(hash) })
	if err != nil {
		if fault.Code(err) == "" {
			t.Errorf("an error without a code: %v", err)
		}
		if r, err = Decode(line, nil); err != nil {
			return
		}
	}
	again, _, err := Encode(&r)
	if fault.Code(err) == "journal.payload_too_large" {
		return
	}
	if err != nil {
		t.Fatalf("%q cannot be encoded again: %v", line, err)
	}
	second, err := Decode(again, nil)
	if err != nil {
		t.Fatalf("%q became %q: %v", line, again, err)
	}
	third, _, err := Encode(&second)
	if err != nil || !bytes.Equal(third, again) {
		t.Fatalf("%q became %q, then %q: %v", line, again, third, err)
	}
	d := newDecoder()
	var slow envelope
	if json.Valid(line) && d.slow(line, &slow) == nil {
		slow.V = max(slow.V, 1)
		if slow.Seq != r.Seq || slow.Run != r.Run || slow.Epoch != r.Epoch || slow.Prev != r.Prev || !slow.At.Equal(r.At) ||
			slow.typ != r.Type() || slow.Scope != r.Scope || slow.Cause != r.Cause || slow.Optional != r.Optional {
			t.Fatalf("%q is %+v one way and %+v the other", line, r, slow.Record)
		}
	}
}
