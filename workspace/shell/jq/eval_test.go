package jq

import (
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command/commandtest"
)

// want runs a program without input and compares what it writes.
func want(t *testing.T, program, out string) {
	t.Helper()
	got, errOut, code := commandtest.Run(t, Commands(), t.TempDir(), []string{"jq", "-nc", "--", program}, "")
	if strings.TrimSuffix(got, "\n") != out || code != 0 {
		t.Errorf("out %q, exit %d, stderr %q; want %q", got, code, errOut, out)
	}
}

// TestMessages holds the words of errors that nothing catches.
func TestMessages(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ program, message string }{
		{`1 | .a`, `Cannot index number with string "a"`},
		{`1 | .abcdefghijabcdefghijabcdefghij`, `Cannot index number with string`},
		{`{} | .[0]`, `Cannot index object with number`},
		{`1 | .[1:]`, `Cannot index number with object`},
		{`[1] | .[{}]`, `Start and end indices of an array slice must be numbers`},
		{`"a" | .[{"start":"x","end":1}]`, `Start and end indices of an string slice must be numbers`},
		{`true | .[]`, `Cannot iterate over boolean (true)`},
		{`null + {} | . + 1`, `object ({}) and number (1) cannot be added`},
		{`{"abcdefghijklm":1} - 1`, `object ({"abcdefghi...) and number (1) cannot be subtracted`},
		{`"ééééééééé" - 1`, `string ("ééééé...) and number (1) cannot be subtracted`},
		{`{} * []`, `object ({}) and array ([]) cannot be multiplied`},
		{`0 as $z | 5 / $z`, `number (5) and number (0) cannot be divided because the divisor is zero`},
		{`0 as $z | 5 % $z`, `number (5) and number (0) cannot be divided (remainder) because the divisor is zero`},
		{`-("a")`, `string ("a") cannot be negated`},
		{`error("x")`, `x`},
		{`error({"b":1,"a":2})`, `(not a string): {"b":1,"a":2}`},
		{`error(null)`, `(not a string): null`},
		{`{(1,"a"): 1}`, `Cannot use number (1) as object key`},
		{`[1] | .[-2] = 0`, `Out of bounds negative array index`},
		{`[] | .[1e9] = 0`, `Array index too large`},
		{`[1] | .[0:1] = 0`, `A slice of an array can only be assigned another array`},
		{`[1] | setpath([[0]]; 1)`, `Cannot update field at array index of array`},
		{`path(1 | .a)`, `Invalid path expression near attempt to access element "a" of 1`},
		{`[[1,2]] | path(map(.)[])`, `Invalid path expression near attempt to iterate through [[1,2]]`},
		{`path({"abcdefghijklmnopqrstuvwxyz":1})`, `Invalid path expression with result {"abcdefghijklmnopqrstuvwx...`},
		{`{} | has(0)`, `Cannot check whether object has a number key`},
		{`1 | test("a")`, `number (1) cannot be matched, as it is not a string`},
		{`"a" | test("("; null)`, `( (at offset 0) is not a valid regex: missing closing parenthesis`},
		{`"a" | test("a"; "q")`, `q is not a valid modifier string`},
		{`def f: 1 + f; f`, `functions call each other too deep`},
		{`reduce range(100000) as $i (0; [.]) | [..] | length`, `functions call each other too deep`},
		{`"x" * 1e12`, `Repeat string result too long`},
		{`input`, `break`},
	} {
		t.Run(row.program, func(t *testing.T) {
			t.Parallel()
			_, errOut, code := commandtest.Run(t, Commands(), t.TempDir(), []string{"jq", "-n", row.program}, "")
			_, message, _ := strings.Cut(strings.TrimSuffix(errOut, "\n"), "(at <unknown>)")
			if strings.TrimPrefix(strings.TrimSpace(message), ": ") != row.message && message != ": "+row.message || code != exitError {
				t.Errorf("exit %d, stderr %q; want %q", code, errOut, row.message)
			}
		})
	}
}

// TestUndefined holds what the compiler refuses.
func TestUndefined(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ program, name string }{
		{`f`, `f/0`},
		{`map(1; 2)`, `map/2`},
		{`def f: 1; f(2)`, `f/1`},
		{`$x`, `$x`},
		{`(1 as $x | 2) | $x`, `$x`},
		{`(def f: 1; f) | f`, `f/0`},
		{`break $out`, `$*label-out`},
		{`m::f`, `m::f/0`},
		{`_match("a")`, `_match/1`},
	} {
		_, errOut, code := commandtest.Run(t, Commands(), t.TempDir(), []string{"jq", "-n", row.program}, "")
		if code != exitCompile || !strings.HasPrefix(errOut, "jq: error: "+row.name+" is not defined at <top-level>, line 1:") {
			t.Errorf("%s: exit %d, stderr %q", row.program, code, errOut)
		}
	}
}

// TestBeyondTheOracle holds what this language does and jq 1.6, which the cases are recorded
// with, does not.
func TestBeyondTheOracle(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ program, out string }{
		{`try error(null) catch [.]`, `[null]`},
		{`[limit(0; error("x"))]`, `[]`},
		{`[1,2,3] | .[] |= empty`, `[]`},
		{`["1","2a",3] | .[] |= try tonumber`, `[1,3]`},
		{`{"a":{"b":1,"c":2},"d":3} | pick(.a.c, .d), (null | pick(.x[1]))`, "{\"a\":{\"c\":2},\"d\":3}\n{\"x\":[null,null]}"},
		{`[-1, "x" | toarray], (-3, "a" | abs), (try (null | abs) catch .), have_literal_numbers`, "[[-1],[\"x\"]]\n3\n\"a\"\n\"null (null) cannot be negated\"\ntrue"},
		{`add(1, 2, 3), add(empty), ([[1],[2]] | add(.[][0]))`, "6\nnull\n3"},
		{`" a " | trim, ltrim, rtrim, trimstr(" ")`, "\"a\"\n\"a \"\n\" a\"\n\"a\""},
		{`[skip(2; range(5))], [skip(0; 1, 2)]`, "[2,3,4]\n[1,2]"},
		{`"éababa" | indices("aba"), index("b")`, "[1,3]\n2"},
		{`[any(true, error("x"); .), all(false, error("x"); .)]`, `[true,false]`},
		{`"aXbX" | [gsub("X"; "1", "2")]`, `["a1b1","a2b2"]`},
		{`"a,b" | @base32, (@base32 | @base32d), ("%41%e9%zz" | try @urid catch "no"), ("%c3%a9" | @urid)`, "\"MEWGE===\"\n\"a,b\"\n\"no\"\n\"é\""},
		{`[{"k":"a","v":1},{"key":2,"value":false},{"Name":"c","Value":3}] | from_entries`, `{"a":1,"2":false,"c":3}`},
		{`"abc" | [scan("b|c"; "g")], [splits("")], test("(?<a>b)\\k<a>") `, "[\"b\",\"c\"]\n[\"\",\"a\",\"b\",\"c\",\"\"]\nfalse"},
		{`[range(5)] | path(last(.[])), path(first(.[])), [path(limit(2; .[]))]`, "[4]\n[0]\n[[0],[1]]"},
		{`1 | (try (def f: error("x"); f) catch .), ((1, error("y"), 2)?), "on"`, "\"x\"\n1\n\"on\""},
		{`[.[]?] | (first, last), ([3] | first, last), getpath(["a"])?`, "null\nnull\n3\n3"},
		{`[builtins | index("map/1", "select/1", "with_entries/1", "halt/0")] | all(. != null)`, `true`},
	} {
		t.Run(row.program, func(t *testing.T) { t.Parallel(); want(t, row.program, row.out) })
	}
}
