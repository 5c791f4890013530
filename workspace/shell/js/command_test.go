package js_test

import (
	"strings"
	"testing"
)

func TestCommandLine(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		args  string // joined by "|"
		stdin string
		out   string
		err   string // a part of standard error
		code  int
	}{
		{"code", "node|-e|console.log(1)", "", "1\n", "", 0},
		{"a value", "js|-p|[1,'a']", "", "[ 1, 'a' ]\n", "", 0},
		{"a value of standard input", "node|-p", "40+2", "42\n", "", 0},
		{"arguments", "node|-e|console.log(process.argv.slice(2))|b|c", "", "[ 'c' ]\n", "", 0},
		{"standard input", "node", "console.log(__filename)", "[stdin]\n", "", 0},
		{"dash and arguments", "node|-|x", "console.log(process.argv[2])", "x\n", "", 0},
		{"version", "node|--version", "", "v20.0.0\n", "", 0},
		{"unknown option", "node|--inspect", "", "", "bad option: --inspect", 9},
		{"no code", "node|-e", "", "", "-e requires an argument", 9},
		{"no prompt", "node|-i", "", "", "there is no prompt", 9},
		{"no such file", "node|nope.js", "", "", "Cannot find module '/nope.js'", 1},
		{"ES modules by option", "node|--input-type=module|-e|1", "", "", "ES modules", 9},
		{"import", "node|-e|import x from 'fs'", "", "", "write const x = require('x')", 1},
		{"export", "node|-e|let a = 1\nexport { a }", "", "", "[eval]:2", 1},
		{"dynamic import", "node|-e|import('fs')", "", "", "ES modules", 1},
		{"await at the top", "node|-e|await 1", "", "", "(async () => { ... })()", 1},
		{"a syntax error names its line", "node|-e|let a\nlet b = (\n", "", "", "[eval]:", 1},
		{"an uncaught error shows its line", "node|-e|let a = 1\nthrow new Error('x' + a)", "", "", "[eval]:2\nthrow new Error('x' + a)\n      ^\n\nError: x1\n    at [eval]:2:7", 1},
		{"an uncaught object", "node|-e|throw {a: 1}", "", "", "Uncaught { a: 1 }", 1},
		{"an unhandled rejection", "node|-e|Promise.reject(7)", "", "", `rejected with the reason "7"`, 1},
		{"exit in a callback", "node|-e|[1].map(() => process.exit(9)); console.log(1)", "", "", "", 9},
		{"no child processes", "node|-e|require('child_process')", "", "", "run the command in the shell", 1},
		{"no network", "node|-e|require('node:https')", "", "", "there is no network", 1},
		{"fetch fails", "node|-e|fetch('http://x').catch(e => console.log(e.message))", "", "fetch failed: there is no network here\n", "", 0},
		{"deno eval", "deno|eval|console.log(2)", "", "2\n", "", 0},
		{"deep calls end", "node|-e|const f = () => f(); f()", "", "", "Maximum call stack size exceeded", 1},
		{"deep calls through natives end", "node|-e|const f = () => [1].map(f); f()", "", "", "Maximum call stack size exceeded", 1},
		{"deep conversions end", "node|-e|const o = { toString() { return `${this}` } }; `${o}`", "", "", "Maximum call stack size exceeded", 1},
		{"deep source ends", "node|-", strings.Repeat("(", 5000), "", "nested deeper than 1000", 1},
		{"a program that is too large", "node|-", strings.Repeat(" ", 1<<20+1), "", "larger than", 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			out, errOut, code := kit(t).Run(t, strings.Split(row.args, "|"), row.stdin)
			if out != row.out || code != row.code || !strings.Contains(errOut, row.err) || (errOut == "") != (row.err == "") {
				t.Errorf("output %q, errors %q, exit code %d, want %q, %q, %d", out, errOut, code, row.out, row.err, row.code)
			}
		})
	}
}

func TestHelpSaysWhatItIsNot(t *testing.T) {
	t.Parallel()
	out, _, code := kit(t).Run(t, []string{"js", "--help"}, "")
	if code != 0 || !strings.Contains(out, "not Node and not Deno") {
		t.Errorf("exit code %d, help %q", code, out)
	}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"let o = {}; o.foo()":                 "o.foo is not a function",
		"let o = {a: []}; o.a[0]()":           "o.a[0] is not a function",
		"(() => 1)().x()":                     "(intermediate value)(...).x is not a function",
		"const f = () => ({}); f(1).g()":      "f(...).g is not a function",
		"let u; u.x":                          "Cannot read properties of undefined (reading 'x')",
		"let u; u['x y'].z":                   "Cannot read properties of undefined (reading 'x y')",
		"null.x":                              "Cannot read properties of null (reading 'x')",
		"let u; u.x = 1":                      "Cannot set properties of undefined (setting 'x')",
		"x; let x":                            "Cannot access 'x' before initialization",
		"let n = 5; n()":                      "n is not a function",
		"let K = {}; new K.X()":               "K.X is not a constructor",
		"const xs = {}; for (const x of xs);": "xs is not iterable",
		"class A {} A()":                      "Class constructor A cannot be invoked without 'new'",
		"nope":                                "nope is not defined",
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			check(t, kit(t), "try { "+code+" } catch (e) { console.log(e.message) }", want)
		})
	}
}
