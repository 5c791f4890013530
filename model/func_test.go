package model_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm/model"
)

func TestFunc(t *testing.T) {
	t.Parallel()
	var p model.Provider = model.Func(func(_ context.Context, req *model.Request, preview func(model.Delta)) (*model.Answer, error) {
		preview(model.Delta{Text: req.Input})
		return nil, &model.Error{Class: model.ClassRate, Code: "model.rate_limited", Detail: "slow", RetryAfter: time.Second, Cause: context.DeadlineExceeded}
	})
	shown := ""
	_, err := p.Answer(t.Context(), &model.Request{Input: "hi"}, func(d model.Delta) { shown += d.Text })
	var e *model.Error
	if !errors.As(err, &e) || !e.Retried() || err.Error() != "model.rate_limited: slow" || !errors.Is(err, context.DeadlineExceeded) || shown != "hi" {
		t.Errorf("%v, shown %q", err, shown)
	}
	if c := p.Capabilities("x"); c.Provider != "func" {
		t.Errorf("%+v", c)
	}
}

func TestWireID(t *testing.T) {
	t.Parallel()
	c := model.Call{Key: key(1)}
	if id := c.WireID(); id != "call_000000000000000000000002" {
		t.Errorf("id %s", id)
	}
	if id := model.WireID("short"); id != "call_short" {
		t.Errorf("id %s", id)
	}
}
