package agent

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

// summing brings an invocation to the point where it asks for a summary, and keeps the
// request from being answered.
func summing(t *testing.T, answer func(ctx context.Context) (*model.Answer, error)) *show {
	t.Helper()
	n := 0
	much := goTool(t, "much", func(context.Context, nothing) (string, error) {
		n++
		return fmt.Sprint(n, strings.Repeat(" word", 500)), nil
	})
	var turns []swarmtest.Turn
	for range 8 {
		turns = append(turns, swarmtest.Do(swarmtest.Call("much", ``)))
	}
	script := swarmtest.Script{"root": append(turns, swarmtest.Do(finishing1))}
	s := newShow(t, script, much)
	s.env.Models["default"] = Model{Window: 9000, Provider: model.Func(func(ctx context.Context, req *model.Request, p func(model.Delta)) (*model.Answer, error) {
		if err := model.Guard(req); err != nil {
			return nil, err
		}
		if req.Agent == "root#summary" {
			if p != nil {
				p(model.Delta{Text: "not for people"})
			}
			return answer(ctx)
		}
		return script.Answer(ctx, req, p)
	})}
	s.preview = func(_ string, d model.Delta) {
		if d.Text == "not for people" {
			t.Error("the summary is shown while it is written")
		}
	}
	s.partly = func(r *journal.Record) bool {
		if r.Type() == journal.TCompactionRequested {
			s.holding = true
		}
		return false
	}
	s.begin()
	if len(s.held) != 1 {
		t.Fatalf("%d effects are under way", len(s.held))
	}
	return s
}

func (s *show) compactions() (out []*journal.HistoryCompacted) {
	for _, r := range s.log {
		if m, ok := r.Payload.(*journal.HistoryCompacted); ok {
			out = append(out, m)
		}
	}
	return out
}

// A request for a summary goes through the model call actor, is not shown, and its end
// lets the turn go on, however it ends.
func TestSumming(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		answer func(ctx context.Context) (*model.Answer, error)
		by     string
		code   string
	}{
		{"a summary", func(context.Context) (*model.Answer, error) {
			return &model.Answer{Text: "It did much.", Finish: model.FinishStop}, nil
		}, "summary", ""},
		{"limits-6 a failure for good", func(context.Context) (*model.Answer, error) {
			return nil, &model.Error{Class: model.ClassPermanent, Code: "model.http_400"}
		}, "digest", "model.http_400"},
		{"limits-6 too long for its window", func(context.Context) (*model.Answer, error) {
			return nil, &model.Error{Class: model.ClassOverflow, Code: "model.context_overflow"}
		}, "digest", "model.context_overflow"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := summing(t, row.answer)
			s.partly = nil
			s.letGo()
			s.verify(journal.Completed, "", "", "", "", "", "", "", "", "")
			c := s.compactions()
			if len(c) == 0 || c[0].By != row.by || c[0].Code != row.code {
				t.Errorf("compacted %+v", c)
			}
			for _, r := range s.log {
				if r.Type() == journal.TModelAttemptFailed || r.Type() == journal.TModelFailed {
					t.Errorf("the turn's request has failed: %+v", r.Payload)
				}
			}
		})
	}
}

// A halt ends the request for a summary.
func TestHaltWhileSumming(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		halt Halt
		want journal.Outcome
	}{
		{"at once", cancelled, journal.Cancelled},
		{"by the closing turn", Halt{Close: true, Reason: "budget.time"}, journal.Partial},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := summing(t, func(ctx context.Context) (*model.Answer, error) {
				<-ctx.Done()
				return nil, &model.Error{Class: model.ClassCancelled, Code: "model.cancelled", Cause: ctx.Err()}
			})
			s.partly = nil
			s.env.Models["default"] = Model{Window: 9000, Provider: model.Func(func(context.Context, *model.Request, func(model.Delta)) (*model.Answer, error) {
				return &model.Answer{Text: "as far as I came", Finish: model.FinishStop}, nil
			})}
			s.tell(HaltWork{row.halt})
			s.letGo()
			if s.ended == nil {
				t.Fatal("it has not ended")
			}
			for _, r := range s.log {
				if m, ok := r.Payload.(*journal.InvocationEnded); ok && m.Outcome != row.want {
					t.Errorf("ended %+v", m)
				}
			}
			for _, c := range s.compactions() {
				if c.By == "summary" {
					t.Errorf("compacted %+v", c)
				}
			}
		})
	}
}

// A loss forgets a summary that was about to be asked for, and it is asked for anew.
func TestSummingIsLost(t *testing.T) {
	t.Parallel()
	s := summing(t, func(context.Context) (*model.Answer, error) {
		return &model.Answer{Text: "It did much.", Finish: model.FinishStop}, nil
	})
	s.partly = nil
	refused := false
	s.refuse = func(p *Proposal) bool { // the record of the summary itself is lost once
		if refused || len(p.Records) == 0 || p.Records[0].Type() != journal.THistoryCompacted {
			return false
		}
		refused = true
		return true
	}
	s.letGo()
	s.verify(journal.Completed, "", "", "", "", "", "", "", "", "")
	if c := s.compactions(); !refused || len(c) == 0 || c[0].By != "summary" {
		t.Errorf("refused %t, compacted %+v", refused, c)
	}
}

// An answer for which the window had no room is a request that was too long: nothing of it
// is kept, and the turn is asked for again when it is put in short.
func TestAnswerWithoutRoom(t *testing.T) {
	t.Parallel()
	n := 0
	much := goTool(t, "much", func(context.Context, nothing) (string, error) {
		n++
		return fmt.Sprint(n, strings.Repeat(" word", 500)), nil
	})
	do := swarmtest.Do(swarmtest.Call("much", ``))
	script := swarmtest.Script{"root": {do, do, do, do, do, do, swarmtest.Do(finishing1)}}
	s := newShow(t, script, much)
	s.env.Profiles["root"].HistoryShare = 0.9
	s.env.Models["default"] = Model{Provider: model.Func(func(ctx context.Context, req *model.Request, p func(model.Delta)) (*model.Answer, error) {
		if req.Turn == 7 && req.Attempt == 1 && req.Agent == "root" {
			return &model.Answer{Text: "half a", Finish: model.FinishOverflow}, nil
		}
		return script.Answer(ctx, req, p)
	})}
	s.begin()
	s.verify(journal.Completed, "", "", "", "", "", "", "")
	if c := s.compactions(); len(c) != 1 || c[0].Why != "overflow" {
		t.Errorf("compacted %+v", c)
	}
	for _, req := range s.asked {
		for _, m := range req.Messages {
			if strings.Contains(m.Text, "half a") {
				t.Errorf("turn %d reads what was cut", req.Turn)
			}
		}
	}
}
