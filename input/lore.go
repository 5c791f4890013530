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
		texts = append(texts, heard{folded(f.Text), "the text"})
	}
	for i := len(f.Messages) - 1; i >= max(0, len(f.Messages)-scan); i-- {
		texts = append(texts, heard{folded(f.Messages[i].Content), fmt.Sprintf("message %d", i)})
	}
	var out []Activated
	for i := range entries {
		e := &entries[i]
		reason := ""
		if e.Constant {
			reason = "constant"
		}
		keys := make([]string, len(e.Keys))
		for j, k := range e.Keys {
			keys[j] = folded(strings.TrimSpace(clean(k)))
		}
		for _, h := range texts {
			for j, k := range keys {
				if reason == "" && hasWord(h.text, k) {
					reason = fmt.Sprintf("key %q in %s", strings.TrimSpace(clean(e.Keys[j])), h.where)
				}
			}
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

// hasWord says whether a key occurs in a text as a whole word: what stands right before
// and behind it does not go on with the word. Both are folded.
func hasWord(text, key string) bool {
	if key == "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(key)
	last, _ := utf8.DecodeLastRuneInString(key)
	for at := 0; ; {
		i := strings.Index(text[at:], key)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(key)
		before, _ := utf8.DecodeLastRuneInString(text[:from])
		behind, _ := utf8.DecodeRuneInString(text[to:])
		if !joined(before, first) && !joined(last, behind) {
			return true
		}
		_, size := utf8.DecodeRuneInString(text[from:])
		at = from + size
	}
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
