package js_test

import (
	"context"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command/commandtest"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/js"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// No file of the host is opened: not by require, not by a source map.
func TestHole22(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	secret := strconv.Quote(write(t, outside, "secret.js", "module.exports = 'leaked'"))
	broken := filepath.Join(outside, "broken.map")
	write(t, outside, "broken.map", "{")
	k := kit(t)
	write(t, k.Dir, "m.js", "module.exports = 'honest'\n//# sourceMappingURL="+broken)
	for name, row := range map[string][2]string{
		"require":                 {`try { console.log(require(` + secret + `)) } catch (e) { console.log(e.code) }`, "MODULE_NOT_FOUND"},
		"require upwards":         {`try { console.log(require("../../../../../../../../../.." + ` + secret + `)) } catch (e) { console.log(e.code) }`, "MODULE_NOT_FOUND"},
		"read":                    {`try { console.log(fs.readFileSync(` + secret + `)) } catch (e) { console.log(e.code) }`, "ENOENT"},
		"source map of a module":  {`console.log(require("./m"))`, "honest"},
		"source map of eval":      {`console.log(eval("1 + 1\n//# sourceMappingURL=` + broken + `"))`, "2"},
		"source map of Function":  {`console.log(new Function("return 3\n//# sourceMappingURL=` + broken + `")())`, "3"},
		"source map of a program": {"console.log(4)\n//# sourceMappingURL=" + broken, "4"},
		"module of the workspace": {`console.log(require("/m.js"))`, "honest"},
	} {
		t.Run(name, func(t *testing.T) { check(t, k, row[0], row[1]) })
	}
}

// A native call that would make too much fails before it does.
func TestHole23(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"new Uint8Array(2 ** 32)", "new Float64Array(1e9)", "new ArrayBuffer(2 ** 33)", "Buffer.alloc(2 ** 31)", "new Uint8Array({length: 1e10})", "Uint8Array.from({length: 1e10})",
		"'x'.repeat(2 ** 29)", "'xy'.padStart(1e9)", "''.padEnd(1e9, 'ab')", "Array(1e9)", "new Array(2 ** 32 - 1)", "Array.from({length: 1e9})",
		"Array(1e6).join('x'.repeat(1e4))", "const a = []; a.length = 4e9; a.join()", "const a = []; a.length = 4e9; a.fill(0)", "const a = []; a.length = 4e9; a.concat([1])",
		"const s = 'x'.repeat(5e7); s.concat(s)", "class X extends Array {} new X(1e9)", "Reflect.construct(Array, [1e9])", "crypto.randomBytes(1e10)",
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			check(t, kit(t), "try { "+code+"; console.log('made') } catch (e) { console.log(e.name) }", "RangeError")
		})
	}
	t.Run("honest use", func(t *testing.T) {
		t.Parallel()
		check(t, kit(t), "console.log(new Uint8Array(1e6).length, 'ab'.repeat(3), 'x'.padStart(3), Array(3).fill(1).join('-'), Array.from({length: 2}).length, [1].concat([2], 3).length, Buffer.alloc(2).length)",
			"1000000 ababab   x 1-1-1 2 3 2")
	})
	t.Run("the end of the context interrupts", func(t *testing.T) {
		t.Parallel()
		for _, code := range []string{"while (true);", "for (;;) [1].map(() => 1)", "const f = () => Promise.resolve().then(f); f()", "(function f() { try { f() } finally { f() } })()", "setImmediate(function f() { setImmediate(f) })"} {
			if exit := endless(t, code, nil); exit == 0 {
				t.Errorf("%s: exit code 0", code)
			}
		}
	})
}

// endless runs a program that does not end by itself, ends its context once it wrote, and
// gives the exit code.
func endless(t *testing.T, code string, in io.Reader) int {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	return kit(t).Exec(ctx, t, command.Nested{Args: []string{"node", "-e", "console.error('begun');" + code}, In: in, Err: writer(func([]byte) { stop() })})
}

type writer func(p []byte)

func (w writer) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
}

// until is an input that gives nothing and ends with its context.
type until struct{ ctx context.Context }

func (u until) Read([]byte) (int, error) {
	<-u.ctx.Done()
	return 0, io.EOF
}

func TestChecklist11GrowthIsBounded(t *testing.T) {
	t.Parallel()
	k := kit(t)
	k.Limits = limits.Limits{Memory: 16 << 20}
	check(t, k, "try { new Uint8Array(5e6) } catch (e) { console.log(e.name) } console.log(new Uint8Array(1e6).length)", "RangeError\n1000000")
	write(t, k.Dir, "big", strings.Repeat("x", 5<<20))
	check(t, k, "try { fs.readFileSync('big') } catch (e) { console.log(e.code) } console.log(fs.statSync('big').size)", "ERR_FS_FILE_TOO_LARGE\n5242880")
}

func TestChecklist13DeepInput(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"try { JSON.parse('['.repeat(1e6)) } catch (e) { console.log(e.name) }":                                                  "RangeError",
		"try { JSON.parse('{\"a\":'.repeat(1e6)) } catch (e) { console.log(e.name) }":                                            "RangeError",
		"console.log(JSON.parse('['.repeat(9000) + ']'.repeat(9000)).length)":                                                    "1",
		"let a = []; for (let i = 0; i < 1e4; i++) a = [a]; console.log(util.inspect(a, {depth: Infinity}).includes('[Array]'))": "true",
		"let a = []; for (let i = 0; i < 1e4; i++) a = [a]; try { structuredClone(a) } catch (e) { console.log(e.name) }":        "RangeError",
		"console.log(/(a*)*b/.test('a'.repeat(5000)))":                                                                           "false",
		"try { eval('('.repeat(1e5)) } catch (e) { console.log(e.name) }":                                                        "SyntaxError",
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			check(t, kit(t), code, want)
		})
	}
}

func TestChecklist14EndlessProgramsEnd(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"while (true);", "setInterval(() => {}, 1)", "setTimeout(() => {}, 1e9); setInterval(() => {}, 1)", "process.nextTick(function f() { process.nextTick(f) })", "(async () => { for (;;) await null })()"} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			endless(t, code, nil)
		})
	}
	for _, code := range []string{"process.stdin.resume()", "fs.readFileSync(0)", "process.stdin.resume(); setInterval(() => {}, 1)"} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			kit(t).Exec(ctx, t, command.Nested{Args: []string{"node", "-e", "console.error('begun');" + code}, In: until{ctx}, Err: writer(func([]byte) { stop() })})
		})
	}
}

func TestChecklist17CanaryIsNotSeen(t *testing.T) {
	const canary = "canary-7c1f"
	t.Setenv("SWARM_CANARY", canary)
	outside := t.TempDir()
	write(t, outside, canary, canary)
	out, errOut, _ := eval(t, kit(t), `
console.log(process.env, process.argv, process.execArgv, process.config, os, os.userInfo(), os.cpus(), os.networkInterfaces(), process.versions);
for (const p of ['/', '/proc/self/environ', '/proc/self/cmdline', '/etc/passwd', '..', `+strconv.Quote(outside)+`]) {
  try { console.log(fs.readdirSync(p)) } catch (e) { console.log(e.message) }
  try { console.log(fs.readFileSync(p, 'utf8')) } catch (e) { console.log(e.message) }
}
console.error(new Error('x').stack, Object.getOwnPropertyNames(globalThis));`)
	if all := out + errOut; strings.Contains(all, canary) || !strings.Contains(all, "HOME") {
		t.Errorf("the program saw %q", all)
	}
}

func TestChecklist19ReadOnlyHolds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "f", "old")
	v, err := view.New(view.Options{Dir: dir, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	k := commandtest.Kit{Commands: js.Commands(), FS: v}
	for _, code := range []string{
		"fs.writeFileSync('f', 'x')", "fs.appendFileSync('f', 'x')", "fs.writeFileSync('g', 'x')", "fs.unlinkSync('f')", "fs.rmSync('f')", "fs.renameSync('f', 'g')", "fs.mkdirSync('d')",
		"fs.chmodSync('f', 0o777)", "fs.truncateSync('f')", "fs.symlinkSync('f', 'l')", "fs.copyFileSync('f', 'g')", "fs.utimesSync('f', 1, 1)", "fs.openSync('f', 'r+')", "fs.mkdtempSync('t')",
	} {
		t.Run(code, func(t *testing.T) {
			check(t, k, "try { "+code+"; console.log('done') } catch (e) { console.log(e.code) }", "EROFS")
		})
	}
	check(t, k, "console.log(fs.readFileSync('f', 'utf8'))", "old")
}

// Two programs at once have nothing in common.
func TestChecklist20NothingInCommon(t *testing.T) {
	t.Parallel()
	k := kit(t)
	var ends atomic.Int32
	for range 2 {
		t.Run("one", func(t *testing.T) {
			check(t, k, "console.log(globalThis.left, Array.prototype.left, fs.left); globalThis.left = Array.prototype.left = fs.left = 1", "undefined undefined undefined")
			ends.Add(1)
		})
	}
	if ends.Load() != 2 {
		t.Errorf("%d of 2 programs ended", ends.Load())
	}
}
