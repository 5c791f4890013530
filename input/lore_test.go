package input

import (
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/workspace"
)

func TestHasWord(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, text, key string
		want            bool
	}{
		{"alone", "dragon", "dragon", true},
		{"case", "The DRAGON sleeps", "Dragon", true},
		{"other alphabets fold too", "ΟΔΟΣ", "οδός", false},
		{"a final sigma", "ΟΔΟΣ", "οδος", true},
		{"normal form", "cafe\u0301", "CAFÉ", true},
		{"inside a word", "dragonfly", "dragon", false},
		{"at the end of a word", "snapdragon", "dragon", false},
		{"after one inside a word", "dragonfly and dragon", "dragon", true},
		{"punctuation", "a dragon, two (dragons)", "dragons", true},
		{"apostrophe", "the dragon's egg", "dragon", true},
		{"underscore", "dragon_egg", "dragon", false},
		{"digits", "v2", "v", false},
		{"a phrase", "the storm glass broke", "Storm Glass", true},
		{"a phrase in part", "the storm glasses", "storm glass", false},
		{"signs at the edge", "C++x and c++", "C++", true},
		{"an accent goes on", "re\u0301sume\u0301", "resume", false},
		{"Han has no spaces", "我喜欢魔法书", "魔法", true},
		{"Hangul with its ending", "학교에서", "학교", true},
		{"Latin beside Han", "用Go写", "go", true},
		{"Thai goes on", "ภาษาไทย", "ภาษา", false},
		{"an empty key", "x", "", false},
		{"an empty text", "", "x", false},
		{"repeated", "aaa aa", "aa", true},
		{"never whole", "aaaa", "aa", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if got := hasWord(folded(row.text), folded(row.key)); got != row.want {
				t.Errorf("%q in %q: %t", row.key, row.text, got)
			}
			keys := newKeyFinder()
			node := keys.add(folded(row.key))
			keys.link()
			keys.search(folded(row.text), 0)
			if _, got := keys.found(node); got != row.want {
				t.Errorf("the finder looks for %q in %q: %t", row.key, row.text, got)
			}
		})
	}
}

func TestActivation(t *testing.T) {
	t.Parallel()
	entries := []Entry{
		{UID: "late", Keys: []string{"fox"}, Content: "c", Order: 5},
		{UID: "always", Constant: true, Keys: []string{"fox"}, Content: "c"},
		{UID: "never", Keys: []string{"wolf"}, Content: "c"},
		{UID: "second", Keys: []string{"none", " Hen "}, Content: "c"},
		{UID: "early", Keys: []string{"hen"}, Content: "c", Order: -1},
	}
	chat := []Message{user("a fox"), assistant("a hen"), user("x"), assistant("x"), user("x"), assistant("x")}
	for _, row := range []struct {
		name string
		text string
		chat []Message
		scan int
		want []string
	}{
		{"only what is new counts", "go", chat, 0, []string{"always: constant"}},
		{"the text counts", "The fox?", chat, 0, []string{"always: constant", `late: key "fox" in the text`}},
		{"more messages", "go", chat, 5, []string{`early: key "hen" in message 1`, "always: constant", `second: key "Hen" in message 1`}},
		{"all messages", "go", chat, 100, []string{`early: key "hen" in message 1`, "always: constant", `second: key "Hen" in message 1`, `late: key "fox" in message 0`}},
		{"the newest occurrence is named", "a hen", chat, 100, []string{`early: key "hen" in the text`, "always: constant", `second: key "Hen" in the text`, `late: key "fox" in message 0`}},
		{"without a conversation", "a hen", nil, 0, []string{`early: key "hen" in the text`, "always: constant", `second: key "Hen" in the text`}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			f, _, err := Freeze(Input{Text: row.text, Messages: row.chat, Lore: entries}, row.scan, workspace.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range f.Lore {
				got = append(got, e.Ref+": "+e.Reason)
			}
			if strings.Join(got, "\n") != strings.Join(row.want, "\n") {
				t.Errorf("got  %q\nwant %q", got, row.want)
			}
		})
	}
}
