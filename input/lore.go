package input

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// activate gives the entries that belong to the run, in order: those that are constant,
// and those with a key that occurs in the text or in one of the scan newest messages.
func (f *Frozen) activate(entries []Entry, scan int) []Activated {
	if len(entries) == 0 {
		return nil
	}
	if scan <= 0 {
		scan = DefaultScan
	}
	type heard struct{ text, where string }
	var texts []heard // newest first: the reason names the newest occurrence
	if f.Text != "" {
		texts = append(texts, heard{f.Text, "the text"})
	}
	for i := len(f.Messages) - 1; i >= max(0, len(f.Messages)-scan); i-- {
		texts = append(texts, heard{f.Messages[i].Content, fmt.Sprintf("message %d", i)})
	}
	keys := newKeyFinder()
	nodes := make([][]int32, len(entries)) // of the keys of each entry
	for i := range entries {
		for _, k := range entries[i].Keys {
			nodes[i] = append(nodes[i], keys.add(folded(strings.TrimSpace(clean(k)))))
		}
	}
	keys.link()
	for i, h := range texts {
		keys.search(folded(h.text), i)
	}
	var out []Activated
	for i := range entries {
		e := &entries[i]
		reason, newest := "", len(texts)
		for j, node := range nodes[i] {
			if at, ok := keys.found(node); ok && at < newest {
				newest = at
				reason = fmt.Sprintf("key %q in %s", strings.TrimSpace(clean(e.Keys[j])), texts[at].where)
			}
		}
		if e.Constant {
			reason = "constant"
		}
		if reason != "" {
			out = append(out, Activated{Ref: e.ref(), UID: e.UID, Name: e.Name, Position: e.Position, Constant: e.Constant, Content: e.Content, Reason: reason})
		}
	}
	return out
}

// folded gives a text in a form in which case and Unicode normal form do not matter.
func folded(s string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			if 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
			return r
		}
		least := r // of all characters that are equal but for case
		for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
			least = min(least, o)
		}
		return unicode.ToLower(least)
	}, norm.NFC.String(s))
}

// joined says whether two characters in a row are parts of one word. Han, Kana and Hangul
// characters are words of their own, as in the counting of words.
func joined(a, b rune) bool { return wordly(a) && wordly(b) }

func wordly(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_') && !alone(r)
}

func alone(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}
