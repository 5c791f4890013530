package input

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

func TestParseChat(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, text string
		want       []Message
	}{
		{"our form", `{"role":"user","content":"Hi","name":"Ann","at":"2024-05-01"}` + "\n" + `{"role":"tool","content":""}`,
			[]Message{{Role: User, Content: "Hi", Name: "Ann", At: "2024-05-01"}, {Role: Tool}}},
		{"a mark, line ends of two kinds, blank lines", "\ufeff" + `{"role":"user","content":"a"}` + "\r\n \r\n\n" + `{"role":"assistant","content":"b"}` + "\r\n",
			[]Message{user("a"), assistant("b")}},
		{"further members and null", `{"role":"assistant","content":"a","name":null,"id":7,"tool_calls":[]}`, []Message{assistant("a")}},
		{"a chat log", `{"user_name":"Ann","character_name":"Mate"}` + "\n" + `{"mes":"a","is_user":true,"name":"Ann","send_date":"May 1"}` + "\n" +
			`{"mes":"b","is_user":false,"name":"Mate","send_date":1714557600123}` + "\n" + `{"mes":"c","is_system":true}`,
			[]Message{{Role: User, Content: "a", Name: "Ann", At: "May 1"}, {Role: Assistant, Content: "b", Name: "Mate", At: "2024-05-01T10:00:00Z"}, {Role: System, Content: "c"}}},
		{"a chat log without metadata", `{"mes":"a"}`, []Message{assistant("a")}},
		{"both forms", `{"role":"user","content":"a","mes":"no"}` + "\n" + `{"mes":"b","is_user":true}`, []Message{user("a"), user("b")}},
		{"escapes", `{"role":"user","content":"a\nb\u00e9\ud83d\ude00"}`, []Message{user("a\nbé😀")}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got, err := ParseChat("c", []byte(row.text))
			if err != nil || !reflect.DeepEqual(got, row.want) {
				t.Errorf("%v\ngot  %+v\nwant %+v", err, got, row.want)
			}
		})
	}
}

func TestParseChatFaults(t *testing.T) {
	t.Parallel()
	const object = `; write one JSON object a line, such as {"role":"user","content":"Hello"}`
	for _, row := range []struct {
		name, text string
		want       []string
	}{
		{"empty", "", []string{`c: the file holds no message` + object}},
		{"metadata only", `{"user_name":"Ann"}`, []string{`c:1:1: the line is no message: it has "user_name"; a message has "role" and "content"`}},
		{"metadata before our form", `{"user_name":"Ann"}` + "\n" + `{"role":"user","content":"a"}`, []string{`c:1:1: the line is no message: it has "user_name"; a message has "role" and "content"`}},
		{"an empty object", `{}`, []string{`c:1:1: the line is no message: it has no member; a message has "role" and "content"`}},
		{"a list", "[\n", []string{"c:1:1: the file holds a JSON list; write each message as an object on a line of its own"}},
		{"a value", "\n\n 7", []string{"c:3:1: the line is no JSON object" + object}},
		{"null", "null", []string{"c:1:1: the line is no JSON object" + object}},
		{"broken", `{"role":"user","content":"ö" x}`, []string{"c:1:30: the line is not JSON: invalid character 'x' after object key:value pair" + object}},
		{"cut", `{"role":"user","content":"a`, []string{"c:1:27: the line is not JSON: unexpected end of JSON input" + object}},
		{"a transcript", "User: hi \"you\"\nassistant:ho\nAnn: hi", []string{
			`c:1:1: the line is no JSON object; write {"role":"user","content":"hi \"you\""}`,
			`c:2:1: the line is no JSON object; write {"role":"assistant","content":"ho"}`,
			`c:3:1: the line is not JSON: invalid character 'A' looking for beginning of value` + object,
		}},
		{"not UTF-8", "{\"role\":\"user\",\"content\":\"\xff\"}", []string{"c:1:1: the line is not UTF-8; save the file as UTF-8"}},
		{"roles and kinds", `{"role":"User","content":"a"}` + "\n" + `{"role":7,"content":["x"]}` + "\n" + `{"content":"x"}` + "\n" + `{"mes":5,"is_user":1}` + "\n" + `{"role":"user","content":"a","name":"a\nb"}`, []string{
			`c:1:1: role: "User" is no role; write user, assistant, system or tool`,
			`c:2:1: "role" is no text; write a text in double quotes`, `c:2:1: "content" is no text; write a text in double quotes`,
			`c:3:1: the message has no "role"; it has "content"; a message has "role" and "content"`,
			`c:4:1: "mes" is no text; write a text in double quotes`, `c:4:1: "is_user" is neither true nor false; write true or false without quotes`,
			`c:5:1: name: it has a line end; write it in one line`,
		}},
		{"many members", `{"role":"user","a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1}`, []string{`c:1:1: the message has no "content"; it has "a", "b", "c", "d", "e", "f", "g", "h" and 1 more; a message has "role" and "content"`}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, err := ParseChat("c", []byte(row.text))
			if fault.Code(err) != "input.invalid" {
				t.Fatalf("error %v", err)
			}
			if got := FaultsOf(err).Error(); got != strings.Join(row.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", got, strings.Join(row.want, "\n"))
			}
		})
	}
	if _, err := ParseChat("c", []byte(strings.Repeat("x\n", 100))); len(FaultsOf(err)) != MaxFaults {
		t.Errorf("%d faults", len(FaultsOf(err)))
	}
	long := strings.Repeat(`{"role":"user","content":"a"}`+"\n", MaxMessages+5)
	if _, err := ParseChat("c", []byte(long)); len(FaultsOf(err)) != 1 || !strings.Contains(err.Error(), "c:100001:1: the file holds more than 100,000 messages") {
		t.Errorf("error %v", err)
	}
}

// What a file gives is an input, and its faults name places of the file.
func FuzzParseChat(f *testing.F) {
	for _, s := range []string{`{"role":"user","content":"a"}`, `{"mes":"a","is_user":true,"send_date":5}`, "{}\n{\"mes\":\"\"}", "[", "\xff", `{"role":"user","content":"a","name":"` + strings.Repeat("n", 300) + `"}`, "null\n\n7"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		ms, err := ParseChat("c", data)
		if err != nil {
			placed(t, err, strings.Count(string(data), "\n")+1)
			return
		}
		if _, _, err := Freeze(Input{Text: "x", Messages: ms}, 0, workspace.Limits{}); err != nil {
			t.Errorf("what the file gives is refused: %v", err)
		}
	})
}

// placed checks that an error is one of faults with places in a file of so many lines.
func placed(t *testing.T, err error, lines int) {
	t.Helper()
	var fs Faults
	if !errors.As(err, &fs) || len(fs) == 0 || len(fs) > MaxFaults {
		t.Fatalf("error %v", err)
	}
	for _, f := range fs {
		if f.File == "" || f.Text == "" || f.Line < 0 || f.Line > lines || f.Line > 0 && f.Column < 1 {
			t.Errorf("fault %s", fmt.Sprintf("%+v", f))
		}
	}
}
