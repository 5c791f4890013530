package cli

import (
	"maps"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
)

// Who waits for a limiter is shown with the place and the expected time, until it goes.
func TestLiveLimiter(t *testing.T) {
	t.Parallel()
	tree := []swarm.Node{
		{Path: "limiter-default", Kind: "limiter", WaitsFor: "concurrency"},
		{Path: "runs/r/run/root/editor", Kind: "invocation", WaitsFor: "limiter: retry_after, place 3, about 12s"},
		{Path: "runs/r/run/root/editor/model", Kind: "model call", WaitsFor: "limiter: retry_after, place 3, about 12s"},
		{Path: "runs/r/run/root", Kind: "invocation", WaitsFor: "children"},
		{Path: "runs/other/run/root", Kind: "invocation", WaitsFor: "limiter: tokens"},
	}
	waits := limiterWaits(tree, "r")
	if !maps.Equal(waits, map[string]string{"root/editor": "limiter: retry after, place 3, about 12s"}) {
		t.Fatalf("waits %q", waits)
	}
	l := workingRun()
	l.ask("root/editor", 2)
	editor, looks := l.s.byPath["root/editor"], 0
	look := func() map[string]string { looks++; return waits }
	shown := func(after time.Duration) string {
		at := editor.asks.Add(after)
		l.s.limited(at, look)
		return l.s.doing(editor, at)
	}
	for _, a := range l.s.all { // nobody else asks
		if a != editor {
			a.model = ""
		}
	}
	if got := shown(limiterAfter - 1); looks != 0 || got != "asks "+editor.model {
		t.Errorf("too early: %q, looked %d times", got, looks)
	}
	if got := shown(limiterAfter); got != "waits to ask "+editor.model+", limiter: retry after, place 3, about 12s" {
		t.Errorf("while it waits: %q", got)
	}
	waits = nil
	if got := shown(limiterAfter); got != "asks "+editor.model+" 1s" {
		t.Errorf("when it goes: %q", got)
	}
}
