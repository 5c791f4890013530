package js

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// Options are what a program reaches. All of them are needed.
type Options struct {
	FS     view.FS
	Dir    string   // working directory, absolute
	Env    []string // NAME=value
	Args   []string // process.argv, with the name of the program first
	In     io.Reader
	Out    io.Writer // flushed before a wait when it has a method Flush
	Err    io.Writer
	Now    func() time.Time // in UTC
	Sleep  func(ctx context.Context, d time.Duration) error
	Rand   func(p []byte) // fills p
	Limits limits.Limits  // its memory bounds what one call of the language may make
}

// Runtime runs one program. It is not safe for concurrent use.
type Runtime struct {
	o   Options
	ctx context.Context
	vm  *goja.Runtime
	loop

	began      time.Time
	lib        map[string]*goja.Object // modules of this package that were loaded, by name
	modules    map[string]*goja.Object // modules of the workspace, by path
	sources    map[string]source       // what was compiled, by name
	native     *goja.Object            // what lib/*.js reaches of Go
	process    *goja.Object            // nil until something asked for it
	main       goja.Value              // the main module
	trampoline goja.Callable           // calls a function as the outermost one of the language
	console    console
	caps       caps
	in         intrinsics
	caught     map[*goja.Object]bool
	rejected   []*goja.Promise // rejected, and nobody handles it
	files      fileTable

	ended   bool     // the program is over
	code    int      // exit code
	preload []string // modules that are loaded before the program
	exiting bool     // listeners of 'exit' run
}

// ended programs interrupt the engine with this.
var errEnded = errors.New("the program has ended")

// New makes a runtime, which the end of the context stops.
func New(ctx context.Context, o Options) *Runtime {
	r := &Runtime{
		o: o, ctx: ctx, vm: goja.New(), began: o.Now(),
		lib: map[string]*goja.Object{}, modules: map[string]*goja.Object{}, sources: map[string]source{}, caught: map[*goja.Object]bool{},
	}
	r.o.Limits = o.Limits.OrDefault()
	r.caps.real = map[*goja.Object]*goja.Object{}
	r.vm.SetParserOptions(parser.WithDisableSourceMaps)
	r.vm.SetMaxCallStackSize(maxDepth)
	r.vm.SetTimeSource(func() time.Time { return o.Now() })
	r.vm.SetRandSource(r.random)
	r.vm.SetPromiseRejectionTracker(r.track)
	r.in = r.captureIntrinsics()
	r.trampoline = r.callable(must(r.vm.RunProgram(trampolineProgram())))
	r.loop.init(r)
	r.native = r.makeNative()
	r.setGlobals()
	r.setCaps()
	return r
}

// random gives a number of [0, 1).
func (r *Runtime) random() float64 {
	var b [8]byte
	r.o.Rand(b[:])
	n := uint64(0)
	for _, c := range b {
		n = n<<8 | uint64(c)
	}
	return float64(n>>11) / (1 << 53)
}

// Eval runs a text as a script and then the event loop, and gives the exit code. With print
// the value of the script is written. name stands in messages.
func (r *Runtime) Eval(name, text string, print bool) int {
	return r.run(func() error {
		r.scriptGlobals(name)
		r.loadFirst()
		p, err := r.compile(name, text, "", "")
		if err != nil {
			return err
		}
		v, err := r.vm.RunProgram(p)
		if err == nil && print {
			r.console.write(r, r.o.Out, r.format([]goja.Value{v}))
		}
		return err
	})
}

// File runs a program of the view and then the event loop, and gives the exit code.
func (r *Runtime) File(path string) int {
	return r.run(func() error {
		r.loadFirst()
		_, err := r.loadMain(path)
		return err
	})
}

// loadFirst loads the modules that the command line names.
func (r *Runtime) loadFirst() {
	for _, name := range r.preload {
		r.requireFrom(r.vm.ToValue(name), r.o.Dir, "internal/preload")
	}
}

// Check says on standard error what does not compile, and gives the exit code.
func (r *Runtime) Check(path string) int {
	text, err := r.readFile(path)
	if err == nil {
		_, err = r.compile(path, string(text), "(function () {", "\n})")
	}
	if err == nil {
		return 0
	}
	if s, ok := errors.AsType[*syntaxError](err); ok {
		err = errors.New(s.report())
	}
	r.fatal(err.Error())
	return r.code
}

// run runs the main part and the event loop.
func (r *Runtime) run(main func() error) (code int) {
	stop := context.AfterFunc(r.ctx, func() { r.vm.Interrupt(errEnded) })
	defer stop()
	defer func() {
		if x := recover(); x != nil { // a fault of the engine
			_, _ = fmt.Fprintf(r.o.Err, "the engine failed: %v\n", x)
			code = 70
		}
	}()
	defer r.files.close()
	defer r.joinReading()
	r.turn(main)
	r.runLoop()
	r.emitExit()
	if r.code == 0 && r.ctx.Err() != nil {
		return 130
	}
	return r.code
}

// turn runs f as the outermost call of the language, then what was put off until its end:
// ticks, then the jobs of promises, until there are none.
func (r *Runtime) turn(f func() error) {
	if r.over() {
		return
	}
	r.enter(func() {
		if f != nil {
			r.report(f())
		}
		r.runTicks()
	})
	for len(r.ticks) > 0 && !r.over() {
		r.enter(r.runTicks)
	}
	r.reportRejections()
}

// over says whether nothing more is to run.
func (r *Runtime) over() bool { return r.ended || r.ctx.Err() != nil }

// enter runs f with the engine's jobs held back until it returned.
func (r *Runtime) enter(f func()) {
	_, err := r.trampoline(goja.Undefined(), r.vm.ToValue(func(goja.FunctionCall) goja.Value {
		if ex := r.vm.Try(f); ex != nil {
			r.report(ex)
		}
		return nil
	}))
	if err != nil {
		r.report(err)
	}
	r.vm.ClearInterrupt()
}

// end ends the program: the engine stops at its next step.
func (r *Runtime) end() {
	r.ended = true
	r.vm.Interrupt(errEnded)
}

// report takes an error that nothing caught.
func (r *Runtime) report(err error) {
	if err == nil || r.over() {
		return
	}
	if _, ok := errors.AsType[*goja.InterruptedError](err); ok {
		return
	}
	if s, ok := errors.AsType[*syntaxError](err); ok {
		r.fatal(s.report())
		return
	}
	if _, ok := errors.AsType[*goja.StackOverflowError](err); ok {
		r.fatal("Uncaught:\nRangeError: Maximum call stack size exceeded\n    (the nesting of calls is bounded at " + fmt.Sprint(maxDepth) + ")")
		return
	}
	ex, ok := errors.AsType[*goja.Exception](err)
	if !ok {
		r.fatal("Error: " + err.Error())
		return
	}
	r.reportValue(ex.Value())
}

// reportValue takes a value that was thrown and that nothing caught.
func (r *Runtime) reportValue(v goja.Value) {
	if v = r.fix(v); r.over() || r.emitUncaught(v, "uncaughtException") {
		return
	}
	r.fatal(r.where(v) + r.uncaughtText(v))
}

// fatal writes a text on standard error and ends the program with 1.
func (r *Runtime) fatal(text string) {
	io.WriteString(r.o.Err, strings.TrimRight(text, "\n")+"\n\nNode.js "+Version+"\n")
	r.code = 1
	r.end()
}

// uncaughtText shows what was thrown.
func (r *Runtime) uncaughtText(v goja.Value) string {
	if isError(v) {
		return r.inspect(v)
	}
	return "Uncaught " + r.inspect(v) + "\n(Use `node --trace-uncaught ...` to show where the exception was thrown)"
}

// track keeps the promises that were rejected and have no handler.
func (r *Runtime) track(p *goja.Promise, op goja.PromiseRejectionOperation) {
	if op == goja.PromiseRejectionReject {
		r.rejected = append(r.rejected, p)
		return
	}
	for i, q := range r.rejected {
		if q == p {
			r.rejected = append(r.rejected[:i], r.rejected[i+1:]...)
			return
		}
	}
}

// reportRejections ends the program when a rejection was not handled within its turn.
func (r *Runtime) reportRejections() {
	for len(r.rejected) > 0 && !r.over() {
		p := r.rejected[0]
		r.rejected = r.rejected[1:]
		v := r.fix(p.Result())
		handled := false
		r.enter(func() {
			handled = r.emitProcess("unhandledRejection", v, r.vm.ToValue(p)) || r.emitUncaught(v, "unhandledRejection")
			r.runTicks()
		})
		switch {
		case handled || r.over():
		case isError(v):
			r.fatal(r.where(v) + r.inspect(v))
		default:
			r.fatal("[UnhandledPromiseRejection: This error originated either by throwing inside of an async function without a catch block, " +
				"or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason \"" + r.short(v) + "\".] {\n  code: 'ERR_UNHANDLED_REJECTION'\n}")
		}
	}
}
