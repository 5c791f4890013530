package input

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

func user(text string) Message      { return Message{Role: User, Content: text} }
func assistant(text string) Message { return Message{Role: Assistant, Content: text} }

func freeze(t *testing.T, in Input) *Frozen {
	t.Helper()
	f, _, err := Freeze(in, 0, workspace.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// What is frozen comes back from its record as it was, whatever the texts hold.
func TestFrozenComesBack(t *testing.T) {
	t.Parallel()
	in := Input{
		Text:     "  ask <b>&\x00\xff\u2028 ",
		Labels:   map[string]string{"b": "2", "a": "1"},
		Messages: []Message{{Role: System, Content: "sys\x00"}, {Role: User, Content: "wölf", Name: " Ann ", At: "today"}, {Role: Tool, Content: "{}"}},
		Lore:     []Entry{{Content: "always", Constant: true}, {World: "w", UID: "x", Name: "n", Keys: []string{"WÖLF"}, Content: "c", Position: "top"}},
		Files:    []File{{Path: "./a//b.txt", Content: []byte("x\r\n")}, {Path: "bin", Content: []byte{0, 0xff}}},
	}
	f, changes, err := Freeze(in, 2, workspace.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	back, err := Decode(f.Encode())
	if err != nil || !reflect.DeepEqual(back, f) {
		t.Errorf("%v\n%+v\n%+v", err, back, f)
	}
	again, _, err := Freeze(in, 2, workspace.Limits{})
	if err != nil || again.Encode() != f.Encode() {
		t.Error("two freezings of one input differ")
	}
	if f.Text != "  ask <b>&\uFFFD\uFFFD\u2028 " || f.Messages[0].Content != "sys\uFFFD" || f.Messages[1].Name != "Ann" {
		t.Errorf("%+v", f)
	}
	if len(changes) != 2 || changes[0].Path != "input/a/b.txt" || changes[0].Content != "x\r\n" || changes[1].Content != "\x00\xff" ||
		f.Files[0] != (FileRef{Path: "input/a/b.txt", SHA256: workspace.HashOf([]byte("x\r\n")), Bytes: 3}) {
		t.Errorf("%+v %+v", changes, f.Files)
	}
	if f.Scene() != SceneChat || !f.HasLore() || f.LoreSize != 2 {
		t.Errorf("scene %s, %d entries", f.Scene(), f.LoreSize)
	}
}

func TestFreezeRefuses(t *testing.T) {
	t.Parallel()
	many := func(n int) (out []Message) {
		for range n {
			out = append(out, user("x"))
		}
		return out
	}
	for _, row := range []struct {
		name string
		in   Input
		code string
		says []string
	}{
		{"nothing", Input{}, "input.empty", []string{"give it a text"}},
		{"blank", Input{Text: " \n"}, "input.empty", nil},
		{"blank with files", Input{Text: " ", Files: []File{{Path: "a", Content: []byte("x")}}}, "input.empty", nil},
		{"the assistant spoke last", Input{Messages: []Message{user("hi"), assistant("ho")}}, "input.empty", []string{"role assistant", "ends with the user"}},
		{"the last message is blank", Input{Messages: []Message{user("hi"), user(" ")}}, "input.empty", []string{"blank"}},
		{"labels", Input{Text: "x", Labels: map[string]string{"k": strings.Repeat("v", MaxLabels)}}, "input.labels", []string{"8193 bytes", "8192"}},
		{"a long text", Input{Text: strings.Repeat("x", MaxText+1)}, "input.too_large", []string{"16,777,216"}},
		{"a long conversation", Input{Messages: many(MaxMessages + 1)}, "input.invalid", []string{"100,001 messages", "leave the oldest out"}},
		{"much in all", Input{Text: "x", Messages: []Message{user(strings.Repeat("ö", MaxContent)), user(strings.Repeat("\x01", MaxContent)), {Role: User, Content: "y"}}, Lore: []Entry{
			{Constant: true, Content: strings.Repeat("\x01", MaxContent)}, {Constant: true, Content: strings.Repeat("\x01", MaxContent)}, {Constant: true, Content: strings.Repeat("\x01", MaxContent)},
			{Constant: true, Content: strings.Repeat("\x01", MaxContent)}, {Constant: true, Content: strings.Repeat("\x01", MaxContent)}, {Constant: true, Content: strings.Repeat("\x01", MaxContent)},
			{Constant: true, Content: strings.Repeat("\x01", MaxContent)}, {Constant: true, Content: strings.Repeat("\x01", MaxContent)}, {Constant: true, Content: strings.Repeat("\x01", MaxContent)},
			{Constant: true, Content: strings.Repeat("\x01", MaxContent)}, {Constant: true, Content: strings.Repeat("\x01", MaxContent)}}}, "input.too_large", []string{"the limit is 67,108,864"}},
		{"every fault at once", Input{Text: "x", Messages: []Message{{Role: "bot", Content: "x", Name: "a\nb"}, {Role: User, Content: strings.Repeat("x", MaxContent+1), At: strings.Repeat("t", MaxLine+1)}},
			Lore:  []Entry{{UID: "1", Content: "x"}, {UID: "1"}, {Content: "x", Keys: []string{"ok", "a\nb"}}},
			Files: []File{{Path: "../a"}, {Path: "ok"}, {Path: "OK"}}}, "input.invalid", []string{
			`messages[0].role: "bot" is no role; write user, assistant, system or tool`, "messages[0].name: it has a line end; write it in one line",
			"messages[1].content: it has 1,000,001 characters, the limit is 1,000,000", "messages[1].at: it has 201 characters",
			"lore[1].content: it is missing or blank", `lore[1].uid: the reference "1" is that of lore[0] too`, "lore[2].keys[1]: it has a line end",
			`files[0] "../a": the path "../a" is not valid`, `files[2] "OK": input/OK differs from input/ok in case`, "9 faults",
		}},
		{"at most twenty", Input{Messages: slicesOf(30, Message{Role: "x"})}, "input.invalid", []string{"20 faults"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := Freeze(row.in, 0, workspace.Limits{})
			if fault.Code(err) != row.code {
				t.Fatalf("error %v, want %s", err, row.code)
			}
			for _, s := range row.says {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("does not say %q:\n%v", s, err)
				}
			}
		})
	}
}

func slicesOf[T any](n int, v T) (out []T) {
	for range n {
		out = append(out, v)
	}
	return out
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"{", `{"text":1}`, `{"text":"x","later":true}`, `{} {}`, `[]`} {
		if _, err := Decode(text); fault.Code(err) != "input.damaged" {
			t.Errorf("%s: error %v", text, err)
		}
	}
	if f, err := Decode(""); err != nil || f.Scene() != SceneSession || f.HasLore() {
		t.Errorf("%+v %v", f, err)
	}
	var none *Frozen
	if none.Scene() != SceneSession || none.HasLore() {
		t.Error("nothing is a session without lore")
	}
}

// Map changes every text and nothing of the input that was given.
func TestMap(t *testing.T) {
	t.Parallel()
	make := func() Input {
		return Input{Text: "s", Messages: []Message{{Role: User, Content: "s", Name: "s", At: "s"}}, Labels: map[string]string{"s": "s"},
			Lore: []Entry{{World: "s", UID: "s", Name: "s", Keys: []string{"s"}, Content: "s", Position: "s"}}, Files: []File{{Path: "s", Content: []byte("s")}}}
	}
	in := make()
	got := in.Map(func(s string) string { return strings.ReplaceAll(s, "s", "m") })
	if !reflect.DeepEqual(in, make()) {
		t.Errorf("the given input changed: %+v", in)
	}
	want := Input{Text: "m", Messages: []Message{{Role: User, Content: "m", Name: "m", At: "m"}}, Labels: map[string]string{"s": "m"},
		Lore: []Entry{{World: "m", UID: "m", Name: "m", Keys: []string{"m"}, Content: "m", Position: "m"}}, Files: []File{{Path: "s", Content: []byte("m")}}}
	if !reflect.DeepEqual(got, want) || !bytes.Equal(got.Files[0].Content, []byte("m")) {
		t.Errorf("%+v", got)
	}
}
