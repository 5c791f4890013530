package input

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// hasWord is the meaning of a key, one key at a time: what stands right before and behind
// it does not go on with the word. Both are folded.
func hasWord(text, key string) bool {
	if key == "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(key)
	last, _ := utf8.DecodeLastRuneInString(key)
	for at := 0; at < len(text); {
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
	return false
}

// TestKeysFoundAtOnce holds that all keys together are found as each is alone, and that
// the first text counts.
func TestKeysFoundAtOnce(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 5))
	parts := []string{"a", "b", "ab", " ", " ", "-", "法", "é", "\u0301", "a b", "가"}
	word := func(most int) string {
		var b strings.Builder
		for range r.IntN(most) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		return folded(b.String())
	}
	hits := 0
	for i := range 2000 {
		keys, texts := make([]string, 1+r.IntN(8)), []string{word(20), word(20)}
		nodes, finder := make([]int32, len(keys)), newKeyFinder()
		for j := range keys {
			keys[j] = word(6)
			nodes[j] = finder.add(keys[j])
		}
		finder.link()
		for n, text := range texts {
			finder.search(text, n)
		}
		for j, key := range keys {
			want, has := 0, hasWord(texts[0], key)
			if !has {
				if has = hasWord(texts[1], key); has {
					want = 1
				}
			}
			if has {
				hits++
			}
			if got, ok := finder.found(nodes[j]); ok != has || got != want {
				t.Fatalf("case %d: %q in %q: got text %d, %t; want %d, %t", i, key, texts, got, ok, want, has)
			}
		}
	}
	if hits < 1000 {
		t.Errorf("only %d keys were there", hits)
	}
}

// TestLoreOfBadKinds has keys that share their beginnings or ends with each other and with
// all of the text, for which a search that begins anew would take its square.
func TestLoreOfBadKinds(t *testing.T) {
	t.Parallel()
	const entries = 200
	for name, row := range map[string]struct {
		text string
		key  func(entry, key int) string
		want int
	}{
		"words":           {strings.Repeat("the quick brown fox ", 10_000), func(e, k int) string { return fmt.Sprintf("word%dx%d", e, k) }, 0},
		"one beginning":   {strings.Repeat("the ", 50_000), func(e, k int) string { return fmt.Sprintf("the the %dx%d", e, k) }, 0},
		"signs in a row":  {strings.Repeat("!", 100_000), func(e, k int) string { return strings.Repeat("!", 1+(e*20+k)%MaxLine) }, entries},
		"the last letter": {strings.Repeat("法", 50_000), func(e, k int) string { return strings.Repeat("法", (e*20+k)%(MaxLine-10)) + fmt.Sprint(e) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, _, err := Freeze(Input{Text: row.text, Lore: manyEntries(entries, row.key)}, 0, workspace.Limits{})
			if err != nil || len(f.Lore) != row.want {
				t.Fatalf("%v, or not %d entries were activated", err, row.want)
			}
		})
	}
}

func manyEntries(n int, key func(entry, key int) string) []Entry {
	out := make([]Entry, n)
	for i := range out {
		out[i].Content = "c"
		for j := range 20 {
			out[i].Keys = append(out[i].Keys, key(i, j))
		}
	}
	return out
}

func BenchmarkActivate(b *testing.B) {
	in := Input{Text: strings.Repeat("The quick brown fox jumps over the lazy dog. ", 3_400_000/45), Lore: manyEntries(MaxEntries, func(e, k int) string { return fmt.Sprintf("key %d of %d", k, e) })}
	b.SetBytes(int64(len(in.Text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := Freeze(in, 0, workspace.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}
