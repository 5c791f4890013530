package js

import (
	"container/heap"
	"context"
	"math"
	"slices"
	"time"

	"github.com/dop251/goja"
)

// loop is the event loop: in each round the timers that are due, what waited for input or
// files, the immediates; and when nothing is left, the end.
type loop struct {
	r          *Runtime
	now        time.Time // of this round
	timers     timerHeap
	byID       map[int64]*timer
	byObject   map[*goja.Object]*timer
	nextID     int64
	seq        int64
	timerProto *goja.Object
	immediates []*timer
	polls      []func() error
	ticks      []func() error
	input      input
}

// timer is a timeout, an interval or an immediate.
type timer struct {
	id      int64
	seq     int64
	due     time.Time
	every   time.Duration
	repeats bool
	f       goja.Callable
	args    []goja.Value
	object  *goja.Object
	dead    bool
	idle    bool // does not keep the program alive
	index   int  // in the heap, -1 outside
}

type timerHeap []*timer

func (h timerHeap) Len() int { return len(h) }

func (h timerHeap) Less(i, j int) bool {
	if !h[i].due.Equal(h[j].due) {
		return h[i].due.Before(h[j].due)
	}
	return h[i].seq < h[j].seq
}

func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push implements [heap.Interface].
func (h *timerHeap) Push(x any) {
	t := x.(*timer)
	t.index = len(*h)
	*h = append(*h, t)
}

// Pop implements [heap.Interface].
func (h *timerHeap) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	*h = (*h)[:last]
	t.index = -1
	return t
}

func (l *loop) init(r *Runtime) {
	l.r, l.now = r, r.o.Now()
	l.byID, l.byObject = map[int64]*timer{}, map[*goja.Object]*timer{}
}

// addTimer makes a timeout or, with repeats, an interval.
func (l *loop) addTimer(call goja.FunctionCall, repeats bool) goja.Value {
	t := l.newTimer(call, 2)
	ms := call.Argument(1).ToFloat()
	if !(ms >= 1) || ms > math.MaxInt32 {
		ms = 1
	}
	t.every, t.repeats = time.Duration(ms)*time.Millisecond, repeats
	l.start(t)
	return t.object
}

func (l *loop) newTimer(call goja.FunctionCall, rest int) *timer {
	l.nextID++
	t := &timer{id: l.nextID, index: -1}
	f, ok := goja.AssertFunction(call.Argument(0))
	if !ok {
		panic(l.r.nodeError("TypeError", "ERR_INVALID_ARG_TYPE", `The "callback" argument must be of type function. Received `+received(call.Argument(0))))
	}
	t.f = f
	if len(call.Arguments) > rest {
		t.args = slices.Clone(call.Arguments[rest:]) // the engine uses the list again
	}
	t.object = l.r.vm.CreateObject(l.prototype())
	l.byID[t.id], l.byObject[t.object] = t, t
	return t
}

func (l *loop) start(t *timer) {
	l.seq++
	t.seq, t.due, t.dead = l.seq, l.now.Add(t.every), false
	heap.Push(&l.timers, t)
}

// prototype gives the object that timers inherit from.
func (l *loop) prototype() *goja.Object {
	if l.timerProto != nil {
		return l.timerProto
	}
	p := l.r.vm.NewObject()
	l.timerProto = p
	of := func(c goja.FunctionCall) *timer { return l.find(c.This) }
	l.r.method(p, "ref", 0, func(c goja.FunctionCall) goja.Value { return l.setIdle(of(c), c.This, false) })
	l.r.method(p, "unref", 0, func(c goja.FunctionCall) goja.Value { return l.setIdle(of(c), c.This, true) })
	l.r.method(p, "hasRef", 0, func(c goja.FunctionCall) goja.Value {
		t := of(c)
		return l.r.vm.ToValue(t != nil && !t.idle)
	})
	l.r.method(p, "close", 0, func(c goja.FunctionCall) goja.Value { l.clear(c.This); return c.This })
	l.r.method(p, "refresh", 0, func(c goja.FunctionCall) goja.Value {
		if t := of(c); t != nil && !t.dead {
			if t.index >= 0 {
				heap.Remove(&l.timers, t.index)
			}
			l.start(t)
		}
		return c.This
	})
	constructor := l.r.function("Timeout", 0, func(c goja.FunctionCall) goja.Value { return nil })
	l.r.hide(p, "constructor", constructor)
	l.r.hide(constructor, "prototype", p)
	_ = p.DefineDataPropertySymbol(goja.SymToPrimitive, l.r.function("", 0, func(c goja.FunctionCall) goja.Value {
		if t := of(c); t != nil {
			return l.r.vm.ToValue(t.id)
		}
		return goja.Undefined()
	}), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	return p
}

func (l *loop) setIdle(t *timer, this goja.Value, idle bool) goja.Value {
	if t != nil {
		t.idle = idle
	}
	return this
}

// find gives the timer that a value stands for: its object or its number.
func (l *loop) find(v goja.Value) *timer {
	if o, ok := v.(*goja.Object); ok {
		return l.byObject[o]
	}
	if v == nil || goja.IsUndefined(v) || goja.IsNull(v) {
		return nil
	}
	return l.byID[v.ToInteger()]
}

func (l *loop) clear(v goja.Value) {
	if t := l.find(v); t != nil {
		l.forget(t)
	}
}

func (l *loop) forget(t *timer) {
	t.dead = true
	if t.index >= 0 {
		heap.Remove(&l.timers, t.index)
	}
	delete(l.byID, t.id)
	delete(l.byObject, t.object)
}

// runTicks runs what process.nextTick put off.
func (l *loop) runTicks() {
	for len(l.ticks) > 0 && !l.r.over() {
		ticks := l.ticks
		l.ticks = nil
		for i, f := range ticks {
			if err := f(); err != nil {
				l.ticks = append(ticks[i+1:len(ticks):len(ticks)], l.ticks...)
				l.r.report(err)
				break
			}
		}
	}
}

// poll puts off f until the next round: for callbacks of work that is done at once here.
func (l *loop) poll(f func() error) { l.polls = append(l.polls, f) }

// runLoop runs rounds until nothing is left to wait for.
func (l *loop) runLoop() {
	for !l.r.over() {
		l.now = l.r.o.Now()
		l.runTimers()
		polls := l.polls
		l.polls = nil
		for _, f := range polls {
			l.r.turn(f)
		}
		l.runImmediates()
		if l.r.over() || len(l.polls) > 0 || len(l.immediates) > 0 {
			continue
		}
		if l.alive() {
			l.wait()
			continue
		}
		if !l.r.emitBeforeExit() || !l.alive() && len(l.polls) == 0 && len(l.immediates) == 0 {
			return
		}
	}
}

// alive says whether something may still happen.
func (l *loop) alive() bool {
	if l.input.wanted() {
		return true
	}
	for _, t := range l.timers {
		if !t.idle {
			return true
		}
	}
	return false
}

func (l *loop) runTimers() {
	for len(l.timers) > 0 && !l.timers[0].due.After(l.now) && !l.r.over() {
		t := heap.Pop(&l.timers).(*timer)
		l.r.turn(func() error {
			_, err := t.f(t.object, t.args...)
			return err
		})
		switch {
		case t.dead || t.index >= 0:
		case t.repeats:
			l.start(t)
		default:
			l.forget(t)
		}
	}
}

func (l *loop) runImmediates() {
	list := l.immediates
	l.immediates = nil
	for _, t := range list {
		if t.dead {
			continue
		}
		l.forget(t)
		l.r.turn(func() error {
			_, err := t.f(t.object, t.args...)
			return err
		})
	}
}

// wait waits for the next timer or for input, whichever comes first.
func (l *loop) wait() {
	l.r.flush()
	if len(l.timers) == 0 {
		l.input.read(l.r)
		l.input.take(l.r)
		return
	}
	due := l.timers[0].due
	d := due.Sub(l.r.o.Now())
	if !l.input.wanted() {
		if l.r.o.Sleep(l.r.ctx, max(d, 0)) == nil && l.now.Before(due) {
			l.now = due
		}
		l.passed(due)
		return
	}
	arrived := l.input.begin(l.r)
	ctx, stop := context.WithCancel(l.r.ctx)
	slept := make(chan struct{})
	go func() {
		defer close(slept)
		_ = l.r.o.Sleep(ctx, max(d, 0))
	}()
	select {
	case <-arrived:
		stop()
		<-slept
		l.input.take(l.r)
	case <-slept:
		stop()
		l.passed(due)
	}
}

// passed runs the timers of a moment that was waited for, also when the clock stands.
func (l *loop) passed(due time.Time) {
	if l.now = l.r.o.Now(); l.now.Before(due) {
		l.now = due
	}
	l.runTimers()
}
