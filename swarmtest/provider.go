package swarmtest

import (
	"context"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/model"
)

// patience is how long a test waits for what must come. It is a guard, not a measure.
const patience = time.Minute

// Provider holds a provider of one's own against what the runtime needs of one. open gives
// a provider, of any model, that answers or fails as it does for real; it is asked for the
// model named. What the model says is of no matter, and failing every request with a
// [*model.Error] passes too. Some twenty requests are made.
func Provider(t *testing.T, named string, open func(t *testing.T) model.Provider) {
	t.Helper()
	for _, row := range []struct {
		name string
		run  func(t *testing.T, p model.Provider, named string)
	}{
		{"answers are whole", wholeAnswers},
		{"the request is left alone", requestAlone},
		{"previews end with the answer", previewsEnd},
		{"many at once", manyAtOnce},
		{"the end of the context ends it", contextEnds},
		{"an ended context begins nothing", contextEnded},
		{"capabilities have a kind", capabilities},
	} {
		t.Run(row.name, func(t *testing.T) { row.run(t, open(t), named) })
	}
}

// judge holds what a provider gave against the contract.
func judge(t *testing.T, answer func() (*model.Answer, error)) {
	t.Helper()
	for _, fault := range answerFaults(answer()) {
		t.Error(fault)
	}
}

func wholeAnswers(t *testing.T, p model.Provider, named string) {
	for _, req := range samples(named) {
		judge(t, func() (*model.Answer, error) { return p.Answer(t.Context(), req, nil) })
	}
}

// requestAlone compares a request after the answer with one that was made anew: histories
// are shared, so that a change of one request changes others.
func requestAlone(t *testing.T, p model.Provider, named string) {
	fresh := samples(named)
	for i, req := range samples(named) {
		_, _ = p.Answer(t.Context(), req, func(model.Delta) {})
		if !reflect.DeepEqual(req, fresh[i]) {
			t.Errorf("a request was changed:\n%+v\n%+v", fresh[i], req)
		}
	}
}

func previewsEnd(t *testing.T, p model.Provider, named string) {
	for _, req := range samples(named) {
		var over atomic.Bool
		_, _ = p.Answer(t.Context(), req, func(model.Delta) {
			if over.Load() {
				t.Error("a preview came after the answer was given")
			}
		})
		over.Store(true)
	}
}

func manyAtOnce(t *testing.T, p model.Provider, named string) {
	req := samples(named)[withResults]
	var wg sync.WaitGroup
	faults := make([][]string, 8)
	for i := range faults {
		wg.Go(func() { faults[i] = answerFaults(p.Answer(t.Context(), req, func(model.Delta) {})) })
	}
	wg.Wait()
	for _, one := range faults {
		for _, f := range one {
			t.Error(f)
		}
	}
}

// contextEnds cancels a request that has begun: it has to come back, whatever it gives.
func contextEnds(t *testing.T, p model.Provider, named string) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	back(t, ctx, p, samples(named)[withTools], cancel)
}

func contextEnded(t *testing.T, p model.Provider, named string) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	back(t, ctx, p, samples(named)[withTools], func() {})
}

func back(t *testing.T, ctx context.Context, p model.Provider, req *model.Request, begun func()) {
	t.Helper()
	type reply struct {
		a   *model.Answer
		err error
	}
	got := make(chan reply, 1)
	go func() {
		a, err := p.Answer(ctx, req, nil)
		got <- reply{a, err}
	}()
	begun()
	select {
	case r := <-got:
		judge(t, func() (*model.Answer, error) { return r.a, r.err })
	case <-time.After(patience):
		t.Fatal("it does not come back after the end of its context")
	}
}

func capabilities(t *testing.T, p model.Provider, named string) {
	c := p.Capabilities(named)
	if c.Provider == "" {
		t.Error("Capabilities has no provider: give the kind, a word such as openai; it labels records and series")
	}
	if c.Window < 0 || c.MaxOutput < 0 || c.MaxTools < 0 {
		t.Errorf("a capability is below zero; what is not known is 0: %+v", c)
	}
}
