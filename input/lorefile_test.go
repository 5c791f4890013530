package input

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

func TestParseLore(t *testing.T) {
	t.Parallel()
	full := Entry{World: "w", UID: "1", Name: "n", Keys: []string{"a", "b c"}, Content: "c", Constant: true, Position: "top", Order: 3}
	for _, row := range []struct {
		name, text string
		want       []Entry
	}{
		{"YAML, a list", "- {world: w, uid: 1, name: n, keys: [a, b c], content: c, constant: true, position: top, order: 3}\n- content: |\n    two\n    lines\n",
			[]Entry{full, {UID: "#2", Content: "two\nlines\n"}}},
		{"YAML, an object", "name: w\nentries:\n  - &one {content: c, keys: 'a, b c ,'}\n  - {world: v, content: d}\n  - *one\n",
			[]Entry{{World: "w", UID: "#1", Keys: []string{"a", "b c"}, Content: "c"}, {World: "v", UID: "#2", Content: "d"}, {World: "w", UID: "#3", Keys: []string{"a", "b c"}, Content: "c"}}},
		{"JSON with tabs", "{\n\t\"name\": \"w\",\n\t\"entries\": [\n\t\t{\"uid\": 1, \"comment\": \"n\", \"key\": [\"a\", \"b c\", \" \"], \"content\": \"c\", \"constant\": true, \"position\": \"top\", \"insertion_order\": 3}\n\t]\n}",
			[]Entry{full}},
		{"a map by uid", `{"entries":{"4":{"content":"c","key":null},"x":{"uid":9,"content":"d","enabled":true},"5":{"content":"off","disable":true},"6":{"enabled":false}}}`,
			[]Entry{{UID: "4", Content: "c"}, {UID: "9", Content: "d"}}},
		{"a JSON list", `[{"content":"\u00e9","position":0,"id":17}]`, []Entry{{UID: "17", Content: "é", Position: "0"}}},
		{"YAML that begins like JSON", "{entries: [{content: c}]}", []Entry{{UID: "#1", Content: "c"}}},
		{"of another program", `{"originalData":{},"new":1,"entries":[{"content":"c","selectiveLogic":0,"brandNew":{"deep":[1]}}]}`, []Entry{{UID: "#1", Content: "c"}}},
		{"a byte order mark", "\ufeff[]", nil},
		{"no entries", "entries: []", nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got, err := ParseLore("l", []byte(row.text))
			for i := range got {
				if len(got[i].Keys) == 0 {
					got[i].Keys = nil
				}
			}
			if err != nil || !reflect.DeepEqual(got, row.want) {
				t.Errorf("%v\ngot  %+v\nwant %+v", err, got, row.want)
			}
		})
	}
}

func TestParseLoreFaults(t *testing.T) {
	t.Parallel()
	const list = `; write a list of entries, or an object with "entries"`
	for _, row := range []struct {
		name, text string
		want       []string
	}{
		{"empty", "", []string{"l: the file is empty" + list}},
		{"only a comment", "# nothing", []string{"l: the file is empty" + list}},
		{"null", "---\n", []string{"l:2:1: this is no list of entries" + list}},
		{"a text", "lore", []string{"l:1:1: this is no list of entries" + list}},
		{"an object of something else", "entry: {}", []string{`l:1:1: the file has no "entries"` + list}},
		{"entries of something else", `{"entries": 7}`, []string{"l:1:13: this is no list of entries" + list}},
		{"broken JSON", "[\n\t{\"content\": \"c\"]\n]", []string{"l:2:17: this is not JSON: invalid character ']' after object key:value pair; check quotes and commas"}},
		{"broken YAML", "- content: a\n - b", []string{"l:1:1: this is neither JSON nor YAML: did not find expected '-' indicator; check quotes and indentation"}},
		{"two documents", "- {content: c}\n---\n[]", []string{"l:2:1: the file holds more than one YAML document; keep one"}},
		{"not UTF-8", "- \xff", []string{"l: the file is not UTF-8; save it as UTF-8"}},
		{"entries", "- 7\n- {content: c, content: d}\n- {uid: 1}\n- {uid: 1, content: c, constant: 'no?', order: x, keys: {a: 1}, name: [n]}\n- {content: c, keys: [[a]]}\n- {content: c, keys: [\"a\\nb\"]}", []string{
			`l:1:3: an entry is an object; write {"keys": ["word"], "content": "what to know"}`,
			`l:2:16: "content" is given twice; keep one`,
			`l:3:3: content: it is missing or blank; write a text, or leave the entry out`,
			`l:4:34: "constant" is neither true nor false; write true or false without quotes`,
			`l:4:71: "name" is no text; write one text`,
			`l:4:57: "keys" is no list; write ["word", "two words"]`,
			`l:4:48: "order" is no whole number; write a number such as 10`,
			`l:4:3: the entry "1" stands in line 3 already; give each entry of a world a uid of its own`,
			`l:5:23: a key is a text; write ["word", "two words"]`,
			`l:6:22: keys[0]: it has a line end; write it in one line`,
		}},
		{"members that mean nothing", "nmae: w\nentries:\n  - {kyes: [x], content: z}\n  - nope: 1\n    content: c\n", []string{
			`l:1:1: the file has no member "nmae"; the nearest one is "name"`,
			`l:3:6: the entry has no member "kyes"; the nearest one is "keys"`,
			`l:4:5: the entry has no member "nope"; the nearest one is "name"`,
		}},
		{"places in JSON", "{\"entries\": [\n  {\"content\": \"é\", \"order\": \"x\"},\n  {\"content\": \"\"}]}", []string{
			`l:2:29: "order" is no whole number; write a number such as 10`,
			`l:3:15: content: it is missing or blank; write a text, or leave the entry out`,
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, err := ParseLore("l", []byte(row.text))
			if fault.Code(err) != "input.invalid" {
				t.Fatalf("error %v", err)
			}
			if got := FaultsOf(err).Error(); got != strings.Join(row.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", got, strings.Join(row.want, "\n"))
			}
		})
	}
	for _, text := range []string{"[" + strings.Repeat("{\"content\":\"c\"},", MaxEntries) + "{\"content\":\"c\"}]", "{\"entries\":{" + strings.Repeat("\"a\":{},", MaxEntries) + "\"a\":{}}}"} {
		if _, err := ParseLore("l", []byte(text)); len(FaultsOf(err)) != 1 || !strings.Contains(err.Error(), "more than 10,000 entries") {
			t.Errorf("error %v", err)
		}
	}
}

// What a file gives is an input, and its faults name places of the file.
func FuzzParseLore(f *testing.F) {
	for _, s := range []string{"- content: a\n  keys: [b]", `{"entries":{"1":{"content":"a","key":["b"],"order":1e3}}}`, "&a [*a]", "[{}]", "entries: &e {x: *e}", "{\"a\":\t1}", "- {content: a, <<: {b: c}}", "a: &x\n  entries: *x", "[1,", "\t- a"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := ParseLore("l", data)
		if err != nil {
			placed(t, err, bytes.Count(data, []byte("\n"))+bytes.Count(data, []byte("\r"))+bytes.Count(data, []byte("\u0085"))+bytes.Count(data, []byte("\u2028"))+bytes.Count(data, []byte("\u2029"))+2)
			return
		}
		if _, _, err := Freeze(Input{Text: "x", Lore: entries}, 0, workspace.Limits{}); err != nil {
			t.Errorf("what the file gives is refused: %v", err)
		}
	})
}
