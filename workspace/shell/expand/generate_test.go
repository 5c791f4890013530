package expand

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// seed of the generators; another one needs the answers recorded anew.
const seed = 20240117

func generator(name string) *rand.Rand {
	var n uint64
	for _, ch := range name {
		n = n*31 + uint64(ch)
	}
	return rand.New(rand.NewPCG(seed, n))
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// several joins a random number of picks.
func several(r *rand.Rand, least, most int, of ...string) string {
	var b strings.Builder
	for range least + r.IntN(most-least+1) {
		b.WriteString(pick(r, of...))
	}
	return b.String()
}

func generate(name string, n int, probe func(r *rand.Rand) string) []string {
	r := generator(name)
	seen := map[string]bool{}
	var probes []string
	for range n {
		p := probe(r)
		if !seen[p] {
			seen[p] = true
			probes = append(probes, p)
		}
	}
	return probes
}

// TestSplitting compares splitting by IFS, empty fields and quotes.
func TestSplitting(t *testing.T) {
	t.Parallel()
	compare(t, "splitting", generate("splitting", 1500, func(r *rand.Rand) string {
		var b strings.Builder
		value := func() string { return several(r, 0, 6, "a", "b", " ", ":", "  ", "::", "-", `\t`, "*", `\n`) }
		fmt.Fprintf(&b, "v=$'%s'\nw=$'%s'\n", value(), value())
		fmt.Fprintf(&b, "set -- $'%s' '' $'%s'\n", value(), value())
		fmt.Fprintf(&b, "a=($'%s' $'%s')\n", value(), value())
		b.WriteString("set -f\n")
		if r.IntN(4) > 0 {
			fmt.Fprintf(&b, "IFS=$'%s'\n", pick(r, ":", " :", ": ", "", "-", `\t:`, " ", "a", ":-", `\n`))
		}
		word := several(r, 1, 4, "$v", "$w", `"$v"`, `"$w"`, "x", `""`, "''", "$@", `"$@"`, "$*", `"$*"`, "${a[@]}", `"${a[@]}"`, `"${a[*]}"`, "${a[*]}",
			"${nope:-$v}", `"${nope:-$v}"`, "${nope:-a b}", `"p$@s"`, `"$v$@"`, "${v:+$w}", `${nope-"$v" $w}`, "$nope", `"$nope"`, "${@:2}", `"${@:1:2}"`)
		fmt.Fprintf(&b, "p %s\ny=%s\np \"$y\"", word, word)
		return b.String()
	}))
}

// TestParameters compares the operators of parameter expansions.
func TestParameters(t *testing.T) {
	t.Parallel()
	compare(t, "parameters", generate("parameters", 2500, func(r *rand.Rand) string {
		value := several(r, 0, 6, "a", "b", "ab", "/", ".", "X", "é", " ", "a/b", "*", `\\`, "&")
		pattern := several(r, 1, 3, "a", "b", "*", "?", "/", ".", "[ab]", "[!a]", "X", `"*"`, `\*`, "é", "${q}", `"$q"`, "[[:upper:]]", "'a'")
		with := several(r, 0, 3, "z", "&", `\&`, "${q}", `"$q"`, "-", `\\`, "'&'", " ", `"&"`)
		number := func() string { return pick(r, "0", "1", "2", "3", "5", " -1", " -2", "n", "n-1", "10", "(-1)", "$n") }
		op := pick(r,
			"#"+pattern, "##"+pattern, "%"+pattern, "%%"+pattern, "/"+pattern+"/"+with, "//"+pattern+"/"+with, "/#"+pattern+"/"+with, "/%"+pattern+"/"+with, "/"+pattern, "//"+pattern,
			"^", "^^", ",", ",,", "^^"+pattern, ",,"+pattern, "^"+pattern,
			":"+number(), ":"+number()+":"+number(), "@Q", "@U", "@L", "@u", "@A", "@a", "@E", "@K",
			":-"+with, "-"+with, ":+"+with, "+"+with, ":="+with, "="+with, ":?", "?"+with, "")
		name := pick(r, "v", "v", "v", "a[@]", "a[*]", "a[1]", "a", "a[n]", "@", "*", "1", "nope", "e", "m[k]", "m[$q]")
		prefix := pick(r, "", "", "", "", "!r")
		if prefix != "" {
			name = prefix
		}
		for strings.ContainsAny(op[:min(2, len(op))], "-+=?") && strings.Contains(op, `"$q"`) {
			op = strings.Replace(op, `"$q"`, "q", 1) // Bash loses what stands behind it.
		}
		word := "${" + name + op + "}"
		if r.IntN(12) == 0 {
			word = "${#" + name + "}"
		}
		if r.IntN(2) == 0 {
			word = `"` + word + `"`
		}
		return fmt.Sprintf("v=$'%s'\nq='%s'\nn=%d\na=(\"$v\" aXb '' 'c d')\na[6]=ab/a\ndeclare -A m=([k]=\"$v\" [a]=ab)\ne=\nset -- \"$v\" 'b a' ''\nr='%s'\n%sp %s",
			strings.ReplaceAll(value, "'", ""), pick(r, "a", "*", "?", "b*", "&"), r.IntN(3), pick(r, "v", "a[1]", "a[@]", "n", "1", "@", "nope"),
			pick(r, "", "set -f\n"), word)
	}))
}

// TestArithmetic compares expressions, as trees and as texts.
func TestArithmetic(t *testing.T) {
	t.Parallel()
	var expr func(r *rand.Rand, depth int) string
	expr = func(r *rand.Rand, depth int) string {
		if depth == 0 || r.IntN(5) == 0 {
			return pick(r, "0", "1", "2", "7", "x", "y", "z", "a[1]", "a[x]", "10", "0x1F", "017", "2#101", "36#Zz", "64#_@", "9223372036854775807", "e", "nope", "a", "t", "-3", "64#z")
		}
		sub := func() string { return expr(r, depth-1) }
		switch r.IntN(8) {
		case 0:
			return "(" + sub() + ")"
		case 1:
			return pick(r, "-", "+", "!", "~", "- ", "!!") + sub()
		case 2:
			return sub() + " ? " + sub() + " : " + sub()
		case 3:
			return "(" + pick(r, "x", "y", "a[1]", "a[2]", "nope") + " " + pick(r, "=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=") + " " + sub() + ")"
		case 4:
			return pick(r, "x++", "++x", "y--", "--y", "a[1]++", "++a[0]")
		case 5:
			return sub() + ", " + sub()
		}
		return sub() + pick(r, " + ", " - ", " * ", " / ", " % ", " ** 3 + ", " << ", " >> ", " < ", " > ", " <= ", " >= ", " == ", " != ", " & ", " | ", " ^ ", " && ", " || ", "+", "-", "*") + sub()
	}
	compare(t, "arithmetic", generate("arithmetic", 2500, func(r *rand.Rand) string {
		e := expr(r, 3)
		form := pick(r, "p $((%s))", "((%s))", "let n='%s'", "declare -i d='%s'\np $d", "p ${a[%s]}", "v=\"%s\"\np $((v))", "s='%s'\np $(($s))", "s='%s'\np $((2 * $s - x))")
		return "x=5\ny=-3\nz=0\ne=\na=(4 5 6)\nt='x+1'\n" + fmt.Sprintf(form, e) + "\np \"$x\" \"$y\" \"${a[*]}\" \"$nope\""
	}))
}

// TestMatching compares patterns in case and [[.
func TestMatching(t *testing.T) {
	t.Parallel()
	compare(t, "matching", generate("matching", 2500, func(r *rand.Rand) string {
		subject := several(r, 1, 6, "a", "b", "c", "A", "-", "]", "[", "*", "1", "é", ".", "ab")
		var pattern func(depth int) string
		pattern = func(depth int) string {
			parts := []string{"a", "b", "c", "*", "?", "[ab]", "[!a]", "[a-c]", "[]a]", "[^b]", "[[:alpha:]]", "[[:digit:]-]", "1", `"*"`, `\*`, "é", "[a-]", "ab"}
			if depth > 0 {
				parts = append(parts, pick(r, "@", "?", "*", "+", "!")+"("+pattern(depth-1)+"|"+pattern(depth-1)+")", pick(r, "@", "?", "*", "+", "!")+"("+pattern(depth-1)+")")
			}
			return several(r, 1, 4, parts...)
		}
		text := pattern(2)
		for strings.Contains(text, "*!(") || strings.Contains(text, "?!(") {
			text = pattern(2) // Where bash itself goes wrong at times.
		}
		form := pick(r, "[[ %s == %s ]]", "[[ %s == %s ]]", "[[ %s != %s ]]", "shopt -s nocasematch\n[[ %s == %s ]]", "shopt -s extglob\nv=%s\np \"${v#%s}\" \"${v%%%[2]s}\" \"${v/%[2]s/-}\" \"${v//%[2]s/-}\" \"${v##%[2]s}\" \"${v%%%%%[2]s}\"")
		return fmt.Sprintf(form, "'"+subject+"'", text)
	}))
}

// TestBraces compares brace expansion.
func TestBraces(t *testing.T) {
	t.Parallel()
	compare(t, "braces", generate("braces", 1000, func(r *rand.Rand) string {
		var brace func(depth int) string
		brace = func(depth int) string {
			parts := []string{"a", "b", "x", "{", "}", ",", "..", "1", `"q r"`, "$v", `\,`, "{1..3}", "{a..e..2}", "{3..1}", "{01..3}", "{-2..2}", "{1..10..4}", "{a..1}", "{}", "{x}", "{,}"}
			if depth > 0 {
				parts = append(parts, "{"+brace(depth-1)+","+brace(depth-1)+"}", "{"+brace(depth-1)+",}")
			}
			return several(r, 1, 3, parts...)
		}
		word := brace(2)
		for strings.Contains(word, "}..{") || strings.Contains(word, "}},{{") {
			word = brace(2) // Unbalanced ones, which bash reads in a way of its own.
		}
		return "v=1\np " + word
	}))
}

// TestGlobbing compares the expansion of paths.
func TestGlobbing(t *testing.T) {
	t.Parallel()
	compare(t, "globbing", generate("globbing", 800, func(r *rand.Rand) string {
		set := ""
		for _, option := range []string{"nullglob", "failglob", "dotglob", "globstar", "nocaseglob", "extglob"} {
			if r.IntN(5) == 0 {
				set += "shopt -s " + option + "\n"
			}
		}
		if r.IntN(12) == 0 {
			set += "GLOBIGNORE='*.txt:d/o*'\n"
		}
		word := several(r, 1, 4, "*", "?", "a", "d", "/", "*.txt", "[a-c]", "**", "**/", "d/", ".*", "e", "c", "f/", `"*"`, `\*`, "x[1]", "$v", "é", "./", "sp*", "back*", "@(a|d)*", "!(a*)", "one", ".d*")
		word = strings.TrimLeft(word, "/")
		for strings.Contains(word, "//") {
			word = strings.ReplaceAll(word, "//", "/")
		}
		if strings.HasPrefix(word, "$v") || word == "" || strings.LastIndex(word, "!(") > 0 {
			word = "*"
		}
		if strings.Contains(word, "(") && !strings.Contains(set, "extglob") {
			set += "shopt -s extglob\n"
		}
		return set + "v='*'\np " + word
	}))
}

// TestQuoting compares printf %q, @Q and declare -p.
func TestQuoting(t *testing.T) {
	t.Parallel()
	compare(t, "quoting", generate("quoting", 800, func(r *rand.Rand) string {
		s := several(r, 0, 5, "a", " ", `\'`, `"`, `\n`, `\t`, "$", "`", `\\`, "é", "~", "#", "!", "*", "=", ":", "[", "]", "{", ",", "%", `\e`, `\x01`, `\xff`, "-", "/", ";", "&", "|", "<", "(", "^", "?", "😀", `\x7f`)
		return fmt.Sprintf("v=$'%s'\nquote \"$v\"\np \"${v@Q}\"\ndeclare -p v\na=(\"$v\")\ndeclare -p a\ndeclare -A m=([\"k$v\"]=1)\ndeclare -p m", s)
	}))
}
