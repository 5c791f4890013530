package regex

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

func TestFind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		o       Options
		pattern string
		text    string
		want    []int
	}{
		{"longest alternative", Options{Syntax: Extended}, "a|ab|abc", "xabcd", []int{1, 4}},
		{"first alternative in Perl", Options{Syntax: Perl}, "a|ab|abc", "xabcd", []int{1, 2}},
		{"leftmost before longest", Options{Syntax: Extended}, "b|abc|cdefg", "abcdefg", []int{0, 3}},
		{"groups", Options{Syntax: Extended}, "(a+)(b*)(x)?", "caab", []int{1, 4, 1, 3, 3, 4, -1, -1}},
		{"basic groups", Options{}, `\(a\)\{2\}b\|c`, "aab", []int{0, 3, 1, 2}},
		{"star is text at the start", Options{}, `*a`, "a*a", []int{1, 3}},
		{"star is text in a group", Options{}, `\(*a\)`, "a*a", []int{1, 3, 1, 3}},
		{"caret inside is text", Options{}, `a^b`, "a^b", []int{0, 3}},
		{"dollar inside is text", Options{}, `a$b`, "a$b", []int{0, 3}},
		{"GNU operators", Options{}, `x\+y\?z\|q`, "xxz", []int{0, 3}},
		{"back-reference", Options{}, `\(.\)\1`, "abccd", []int{2, 4, 2, 3}},
		{"back-reference, longest", Options{Syntax: Extended}, `(a|ab)\1?c?`, "ababc", []int{0, 5, 0, 2}},
		{"dot takes a line break", Options{}, `a.b`, "a\nb", []int{0, 3}},
		{"one text: anchors at its ends", Options{}, `^b`, "a\nb", nil},
		{"many lines", Options{Multiline: true}, `^b$`, "a\nb\nc", []int{2, 3}},
		{"text anchors in many lines", Options{Multiline: true}, "\\`b", "a\nb", nil},
		{"end of text in many lines", Options{Multiline: true}, `a\'`, "a\na", []int{2, 3}},
		{"word borders", Options{}, `\<b\w*\>`, "ab bc", []int{3, 5}},
		{"word", Options{Word: true}, `b`, "ab b", []int{3, 4}},
		{"word tries shorter", Options{Word: true, Syntax: Extended}, `a+-*`, "aa-b", []int{0, 2}},
		{"whole", Options{Whole: true, Syntax: Extended}, `a|ab`, "ab", []int{0, 2}},
		{"letters beyond ASCII are words", Options{}, `\bé`, "aé é", []int{4, 6}},
		{"fold", Options{FoldCase: true}, `É[b-c]`, "éB", []int{0, 3}},
		{"fold in a class", Options{FoldCase: true}, `[[:upper:]]`, "a", []int{0, 1}},
		{"bytes that are no characters", Options{}, "a\xffb", "xa\xffb", []int{1, 4}},
		{"dot takes no such byte", Options{}, "a.b", "a\xffb", nil},
		{"list takes no such byte", Options{}, "a[^x]b", "a\xffb", nil},
		{"list of such bytes", Options{}, "[\xfe\xff]", "a\xff", []int{1, 2}},
		{"interval beyond 1000", Options{Syntax: Extended}, "^a{1500}$", strings.Repeat("a", 1500), []int{0, 1500}},
		{"interval that is text", Options{Syntax: Extended}, "a{x}", "a{x}", []int{0, 4}},
		{"classes", Options{}, "[[:alpha:]_-]*", "a-_é1", []int{0, 5}},
		{"collation", Options{}, "[[.-.]a]*", "-a]", []int{0, 2}},
		{"equivalence", Options{}, "[[=a=]b]*", "ab", []int{0, 2}},
		{"bracket first", Options{}, "[]a]*", "]a", []int{0, 2}},
		{"sed escapes", Options{Escapes: SedEscapes}, `a\n\x41[\n\t]`, "a\nA\t", []int{0, 4}},
		{"awk escapes", Options{Escapes: AwkEscapes, Syntax: Extended}, `\/\101[\]\/]+`, "/A]/", []int{0, 4}},
		{"look-ahead", Options{Syntax: Perl}, `\w+(?=;)`, "a b;", []int{2, 3}},
		{"negative look-ahead", Options{Syntax: Perl}, `a(?!b)`, "abac", []int{2, 3}},
		{"look-behind", Options{Syntax: Perl}, `(?<=\$)\d+`, "5 $60", []int{3, 5}},
		{"negative look-behind", Options{Syntax: Perl}, `(?<!a|bc)d`, "ad bcd d", []int{7, 8}},
		{"lazy", Options{Syntax: Perl}, `<.+?>`, "<a><b>", []int{0, 3}},
		{"possessive", Options{Syntax: Perl}, `a++a`, "aaa", nil},
		{"atomic", Options{Syntax: Perl}, `(?>a|ab)c`, "abc", nil},
		{"named group", Options{Syntax: Perl}, `(?<c>.)\k<c>`, "abb", []int{1, 3, 1, 2}},
		{"relative reference", Options{Syntax: Perl}, `(.)\g{-1}`, "abb", []int{1, 3, 1, 2}},
		{"keep", Options{Syntax: Perl}, `a\Kb`, "ab", []int{1, 2}},
		{"inline flags", Options{Syntax: Perl}, `(?i)A(?-i:b)`, "aB ab", []int{3, 5}},
		{"remarks", Options{Syntax: Perl}, "(?x) a # one\n b", "ab", []int{0, 2}},
		{"quoted", Options{Syntax: Perl}, `\Qa.b\E+`, "axb a.bb", []int{4, 8}},
		{"property", Options{Syntax: Perl}, `\p{Lu}\P{Lu}`, "aÉb", []int{1, 4}},
		{"empty iterations end", Options{Syntax: Perl}, `(a|b*)*c(?=d)`, "abcd", []int{0, 3, 2, 2}},
		{"fixed", Options{Syntax: Fixed}, `a.*`, "xa.*", []int{1, 4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			re, err := Compile(c.pattern, c.o)
			if err != nil {
				t.Fatal(err)
			}
			got, err := re.Find([]byte(c.text), 0)
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%q on %q: got %v, %v; want %v", c.pattern, c.text, got, err, c.want)
			}
			if re.Match([]byte(c.text)) != (c.want != nil) {
				t.Errorf("Match says %v", c.want == nil)
			}
		})
	}
}

func TestSyntaxErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		syntax        Syntax
		pattern, want string
	}{
		{Basic, `\(a`, `Unmatched ( or \(`},
		{Basic, `a\)`, `Unmatched ) or \)`},
		{Extended, `(a`, `Unmatched ( or \(`},
		{Basic, `[a`, "Unmatched [, [^, [:, [., or [="},
		{Basic, `[[:foo:]]`, "Invalid character class name"},
		{Basic, `[:space:]`, "character class syntax is [[:space:]], not [:space:]"},
		{Basic, `[b-a]`, "Invalid range end"},
		{Basic, `[[.ab.]]`, "Invalid collation character"},
		{Basic, `\`, "Trailing backslash"},
		{Basic, `\1`, "Invalid back reference"},
		{Extended, `(a)|\1`, "Invalid back reference"},
		{Basic, `a\{1`, `Unmatched \{`},
		{Basic, `a\{x\}`, `Invalid content of \{\}`},
		{Extended, `a{2,1}`, `Invalid content of \{\}`},
		{Extended, `a{99999}`, "Regular expression too big"},
		{Extended, strings.Repeat("(a{1,200}", 4) + strings.Repeat("){200}", 4), "Regular expression too big"},
		{Extended, strings.Repeat("(", 2000) + strings.Repeat(")", 2000), "Regular expression too big"},
		{Perl, `(?<=a+)b`, "lookbehind assertion is not fixed length"},
		{Perl, `*a`, "quantifier does not follow a repeatable item"},
		{Perl, `a**`, "quantifier does not follow a repeatable item"},
		{Perl, `(a`, "missing closing parenthesis"},
		{Perl, `a)`, "unmatched closing parenthesis"},
		{Perl, `\k<x>`, "reference to non-existent subpattern"},
		{Perl, `(?R)`, "recursion, conditions and branch reset are not supported; write the pattern without (?R"},
	} {
		_, err := Compile(c.pattern, Options{Syntax: c.syntax})
		if _, ok := errors.AsType[*SyntaxError](err); !ok || err.Error() != c.want {
			t.Errorf("%.40q: got %v, want %s", c.pattern, err, c.want)
		}
	}
}

func TestWarningsOfRepeatedNothing(t *testing.T) {
	t.Parallel()
	re, err := Compile("*a|+b", Options{Syntax: Extended})
	if err != nil || !slices.Equal(re.Warnings(), []string{"* at start of expression", "+ at start of expression"}) {
		t.Errorf("got %v, %v", re.Warnings(), err)
	}
}

func TestNamedGroups(t *testing.T) {
	t.Parallel()
	re, err := Compile(`(a)(?P<two>b)(?'three'c)`, Options{Syntax: Perl})
	if err != nil || re.Groups() != 3 || re.Group("two") != 2 || re.Group("three") != 3 || re.Group("four") != 0 {
		t.Errorf("got %v %+v", err, re)
	}
}

// Checklist 13: what other matchers take exponential time for ends at once, or with an error.
func TestChecklist13Regex(t *testing.T) {
	t.Parallel()
	text := []byte(strings.Repeat("a", 2_000))
	for _, pattern := range []string{`(a*)*b`, `(a|a)*b`, `(a|aa)+$b`, `((a?){100}){10}b`} {
		re, err := Compile(pattern, Options{Syntax: Extended})
		if err != nil {
			t.Fatal(err)
		}
		if re.Match(text) {
			t.Errorf("%s matches", pattern)
		}
	}
	budget, _, stop := limits.NewBudget(t.Context(), limits.Limits{Backtracks: 1000})
	defer stop()
	for _, o := range []Options{{Syntax: Perl, Budget: budget}, {Syntax: Extended, Budget: budget}} {
		re, err := Compile(map[Syntax]string{Perl: `(a*)*b(?=c)`, Extended: `(a*)*\1b`}[o.Syntax], o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := re.Find(text, 0); !errors.Is(err, ErrSteps) {
			t.Errorf("got %v", err)
		}
	}
	re, err := Compile(`a*c(?=d)`, Options{Syntax: Perl, Budget: budget})
	if err != nil {
		t.Fatal(err)
	}
	if loc, err := re.Find([]byte("aacd"), 0); err != nil || !slices.Equal(loc, []int{0, 3}) {
		t.Errorf("honest use: %v, %v", loc, err)
	}
}

func TestRecords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		patterns   []string
		o          Options
		terminator byte
		text       string
		want       string // the records that match, between bars
	}{
		{[]string{"^a"}, Options{}, '\n', "ab\nba\na", "|ab|a|"},
		{[]string{""}, Options{}, '\n', "\nx\n", "||x|"},
		{[]string{"^$"}, Options{}, '\n', "x\n\n\ny\n", "|||"},
		{[]string{"a.*b"}, Options{}, '\n', "a\nb\naxb\n", "|axb|"},
		{[]string{"a[^x]b"}, Options{}, '\n', "a\nb\na b\n", "|a b|"},
		{[]string{"a[^x]b"}, Options{}, 0, "a\nb\x00ab\x00", "|a\nb|"},
		{[]string{"^b"}, Options{}, 0, "a\nb\x00b\x00", "|b|"},
		{[]string{"a", "c$"}, Options{}, '\n', "xa\ncx\nxc", "|xa|xc|"},
		{[]string{`\(.\)\1`}, Options{}, '\n', "ab\nbb\n", "|bb|"},
		{[]string{"one", "two"}, Options{Syntax: Fixed, Whole: true}, '\n', "one\none two\ntwo\n", "|one|two|"},
		{strings.Fields("a1 a2 a3 b1 b2 b3 c1 c2 c3 a"), Options{Syntax: Fixed}, '\n', "b\nxb2\nd\na", "|xb2|a|"},
	} {
		c.o.Records, c.o.Terminator = true, c.terminator
		re, err := CompileAny(c.patterns, c.o)
		if err != nil {
			t.Fatal(err)
		}
		got := "|"
		for at := 0; at < len(c.text); {
			start, end, ok, err := re.Record([]byte(c.text), at)
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			got += c.text[start:end] + "|"
			at = end + 1
		}
		if got != c.want {
			t.Errorf("%q on %q: got %q, want %q", c.patterns, c.text, got, c.want)
		}
	}
}

// Many states make the automaton begin anew while it runs.
func TestTheAutomatonForgetsAndGoesOn(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	for i := range 10_000 {
		fmt.Fprintf(&text, "%b", i*2654435761&0xffff)
		text.WriteRune(rune('À' + i%300))
	}
	text.WriteString("1" + strings.Repeat("0", 14) + "!")
	pattern := `1[01]{13}0!`
	re, err := Compile(`1[01]{14}!|`+pattern+`|[01]*1[01]{12}[Ā-ſ]*!`, Options{Syntax: Extended})
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(pattern).FindIndex(text.Bytes())
	if start, end, ok, _ := re.Span(text.Bytes(), 0); !ok || end != want[1] || start > want[0] {
		t.Errorf("got %d %d %v, want the end of %v", start, end, ok, want)
	}
}

// The threads that run side by side on long texts find what the search finds on short ones.
func TestThreadsFindTheSameGroups(t *testing.T) {
	t.Parallel()
	text := []byte(strings.Repeat("ab", 300) + "c é 1")
	for _, syntax := range []Syntax{Extended, Perl} {
		for _, pattern := range []string{`((a)|(b))*(c)`, `(a|ab)(c|bcd)?(.*)`, `(a*)(b*)`, `((ab)+|b)*c`, `(x)?(a)?`, `^(.)(.*)(1)$`, `b\b|(c) (.)`, `((a|b)(b|a))*`} {
			re, err := Compile(pattern, Options{Syntax: syntax})
			if err != nil {
				t.Fatal(err)
			}
			want, err := re.Find(text, 0)
			if err != nil || want == nil {
				t.Fatalf("%s: %v, %v", pattern, want, err)
			}
			first := slices.Repeat([]int{-1}, re.prog.slots)
			first[0] = want[0]
			end := want[1]
			if syntax == Perl {
				end = -1
			}
			if got := newMachine(re).pike(text, want[0], end, first); !slices.Equal(got, want) {
				t.Errorf("%s: got %v, want %v", pattern, got, want)
			}
		}
	}
}

func BenchmarkGroups(b *testing.B) {
	text := []byte(strings.Repeat("ab", 1<<20) + "c")
	re, err := Compile(`((a)|(b))*(c)`, Options{Syntax: Extended})
	if err != nil {
		b.Fatal(err)
	}
	for name, part := range map[string][]byte{"search": text[len(text)-1<<16:], "threads": text} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(part)))
			for b.Loop() {
				if loc, err := re.Find(part, 0); err != nil || loc[1] != len(part) {
					b.Fatal(loc, err)
				}
			}
		})
	}
}

func FuzzCompile(f *testing.F) {
	for _, seed := range []string{`a*b`, `\(a\)\1`, `(a|b)+c{2,3}`, `[[:alpha:]-]*$`, `(?<=a)b++`, `\Q\E\x{61}`, "\xff[\xfe-\xff]", `a\{1,\}\|b`, `(?i:x)|\bfoo\b`} {
		f.Add(seed, "aabbcc xy\nfoo \xff", uint8(1))
		f.Add(seed, "a", uint8(2))
	}
	f.Fuzz(func(t *testing.T, pattern, text string, mode uint8) {
		budget, _, stop := limits.NewBudget(t.Context(), limits.Limits{Backtracks: 20_000, Regex: 64 << 10})
		defer stop()
		o := Options{Syntax: Syntax(mode % 4), FoldCase: mode&4 != 0, Multiline: mode&8 != 0, Word: mode&16 != 0, Whole: mode&32 != 0, Escapes: Escapes(mode >> 6 % 3), Budget: budget}
		re, err := Compile(pattern, o)
		if err != nil {
			return
		}
		loc, err := re.Find([]byte(text), 0)
		if err != nil {
			return
		}
		start, end, ok, _ := re.Span([]byte(text), 0)
		if ok != (loc != nil) || ok && (start != loc[0] || end != loc[1]) || re.Match([]byte(text)) != ok {
			t.Fatalf("Find %v, Span %d %d %v, Match %v", loc, start, end, ok, re.Match([]byte(text)))
		}
		if len(loc) > 2 && len(loc) != 2*(re.Groups()+1) {
			t.Fatalf("%d offsets for %d groups", len(loc), re.Groups())
		}
		for i := 0; i < len(loc); i += 2 {
			if (loc[i] < 0) != (loc[i+1] < 0) || loc[i] > loc[i+1] && loc[i+1] >= 0 && i > 0 || loc[i+1] > len(text) {
				t.Fatalf("offsets %v", loc)
			}
		}
		theirs, err := regexp.Compile(pattern)
		if o.Syntax != Extended || mode&^3 != 0 || err != nil || strings.ContainsAny(pattern, "\\[{?*+^$()") || !isText(text) {
			return
		}
		theirs.Longest()
		if want := theirs.FindStringIndex(text); (want != nil) != ok || ok && (want[0] != start || want[1] != end) {
			t.Fatalf("regexp finds %v, not %d %d", want, start, end)
		}
	})
}

func isText(s string) bool { return strings.ToValidUTF8(s, "") == s }
