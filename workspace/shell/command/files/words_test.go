package files

import (
	"strings"
	"testing"
	"testing/quick"
)

func TestGlob(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		pattern, name string
		want          bool
	}{
		{"", "", true}, {"", "a", false}, {"*", "", true}, {"*", "a/b", true}, {"a*c", "abc", true}, {"a*c", "ab", false}, {"?", "é", true}, {"?", "\xff", true}, {"??", "é", false},
		{"[a-c]", "b", true}, {"[!a-c]", "b", false}, {"[^a]", "b", true}, {"[]]", "]", true}, {"[!]]", "]", false}, {"[a", "[a", true}, {"[]", "[]", true}, {"[a-]", "-", true},
		{`\*`, "*", true}, {`\*`, "a", false}, {`a\`, `a\`, true}, {"[[:digit:]]x", "5x", true}, {"[[:alpha:]]", "5", false}, {"[[:nonsense:]]", "n", false}, {`[\]]`, "]", true},
		{"+(a)", "aa", false}, {"+(a)", "+(a)", true}, {"*.txt", ".txt", true}, {"*a*b*c*", "xaxbxcx", true}, {"*日*", "今日は", true}, {"[é-ñ]", "ì", true},
	} {
		if got := (glob{pattern: row.pattern}).match(row.name); got != row.want {
			t.Errorf("%q against %q: %v", row.pattern, row.name, got)
		}
	}
	if !(glob{pattern: "*.TXT", fold: true}).match("a.txt") || !(glob{pattern: "[A-Z]", fold: true}).match("b") || (glob{pattern: "a*c", path: true}).match("a/c") {
		t.Error("fold or path is not heeded")
	}
	// Many stars take no more time than few: this ends.
	if (glob{pattern: strings.Repeat("*a", 200) + "b"}).match(strings.Repeat("a", 20000)) {
		t.Error("there is no b")
	}
}

func TestAGlobOfItselfMatches(t *testing.T) {
	t.Parallel()
	quoted := strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)
	if err := quick.Check(func(s string) bool {
		return glob{pattern: quoted.Replace(s)}.match(s) && glob{pattern: "*" + quoted.Replace(s) + "*"}.match("x"+s+"y")
	}, nil); err != nil {
		t.Error(err)
	}
}

func TestMode(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		arg       string
		old, want uint32
		dir       bool
	}{
		{"644", 0o777, 0o644, false}, {"0", 0o777, 0, false}, {"u+x", 0o644, 0o744, false}, {"+x", 0o644, 0o755, false}, {"+w", 0o444, 0o644, false}, {"a+w", 0o444, 0o666, false},
		{"go=", 0o777, 0o700, false}, {"u=rwx,g=rx,o=r", 0, 0o754, false}, {"a+X", 0o644, 0o644, false}, {"a+X", 0o600, 0o711, true}, {"u+s", 0o755, 0o4755, false},
		{"755", 0o2700, 0o2755, true}, {"00755", 0o2700, 0o755, true}, {"g=u", 0o740, 0o770, false}, {"o=g-w", 0o760, 0o764, false}, {"u+r-w+x", 0o200, 0o500, false}, {"+t", 0o755, 0o1755, true}, {"=", 0o777, 0, false},
	} {
		c, err := parseChange(row.arg, 0o022)
		if err != nil {
			t.Errorf("%s: %v", row.arg, err)
		} else if got := c(row.old, row.dir); got != row.want {
			t.Errorf("%s of %o: %o, want %o", row.arg, row.old, got, row.want)
		}
	}
	for _, arg := range []string{"", "8", "77777", "u", "x", "u+q", "u+x,", "z+x", "u644"} {
		if _, err := parseChange(arg, 0o022); err == nil {
			t.Errorf("%q is taken for a mode", arg)
		}
	}
	if err := quick.Check(func(bits uint16) bool { b := uint32(bits & 0o7777); return permBits(fileMode(b)) == b }, nil); err != nil {
		t.Error(err)
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 1023: "1023", 1024: "1.0K", 1025: "1.1K", 10189: "10K", 10240: "10K", 10241: "11K", 1047553: "1.0M", 1048576: "1.0M", 1 << 40: "1.0T"} {
		if got := human(n, 1024); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	for s, want := range map[string]int64{"1": 1, "1K": 1024, "1kB": 1000, "1KiB": 1024, "2M": 2 << 20, "2m": 2 << 20, "K": 1024, "3G": 3 << 30} {
		if got, err := parseSize(s); err != nil || got != want {
			t.Errorf("%s: %d, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "x", "1X", "1b", "1c", "1KBB", "-1", "99999999999E", "1Ki"} {
		if n, err := parseSize(s); err == nil {
			t.Errorf("%q is taken for %d", s, n)
		}
	}
}

func TestEnvSplit(t *testing.T) {
	t.Parallel()
	get := func(name string) string { return "<" + name + ">" }
	for s, want := range map[string]string{
		"a b": "a|b", " a  b ": "a|b", `"a b" c`: "a b|c", `'a b'c`: "a bc", `a\_b`: "a|b", `"a\_b"`: "a b", `a\nb`: "a\nb", `a # b`: "a", `a#b`: "a#b", `${X}y`: "<X>y", `'${X}'`: "${X}", `\#a`: "#a", `""`: "", `a\c b`: "a", "": "",
	} {
		words, err := splitString(s, get)
		if got := strings.Join(words, "|"); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", s, got, err, want)
		}
	}
	for _, s := range []string{`"a`, `'a`, `a\`, `a\q`, `$X`, `${X`} {
		if words, err := splitString(s, get); err == nil {
			t.Errorf("%q is taken for %q", s, words)
		}
	}
}

func TestFromEmacs(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{`a\(b\|c\)`: `a(b|c)`, `a(b)`: `a\(b\)`, `a|b`: `a\|b`, `a{2}`: `a\{2\}`, `[(|]`: `[(|]`, `[]a(]x(`: `[]a(]x\(`, `\.`: `\.`, `a+?`: `a+?`, `[[:alpha:](]`: `[[:alpha:](]`} {
		if got := fromEmacs(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
