package replay_test

import (
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/openai"
	"github.com/seed-cf6d8d1b/swarm/model/replay"
)

const (
	callA = "0123456789abcdef01234567"
	callB = "fedcba9876543210fedcba98"
)

// history is a request with a system text, a tool, a call and its result.
func history(turn int, system, result, callKey string) *model.Request {
	req := request("root", turn, "begin")
	req.System = system
	req.Tools = []model.ToolDef{{ID: "f", Name: "f", Schema: []byte(`{"type":"object","properties":{"n":{"type":"integer","maximum":9007199254740993}}}`)}}
	req.Messages = append(req.Messages,
		model.Message{Role: model.Assistant, Calls: []model.Call{{Key: callKey, Name: "f", Args: `{"id":"call_` + callKey + `"}`}}},
		model.Message{Role: model.Tool, Results: []model.Result{{Key: callKey, Name: "f", Text: result}}})
	return req
}

func TestMismatch(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 500)
	b := setup(t)
	end := b.serve(http.HandlerFunc(echo))
	b.record(func(p *openai.Provider) {
		for _, req := range []*model.Request{
			history(1, "You are in run_0123456789abcdef. "+long+" today is 2026-01-02.", "ok", callA),
			history(2, "short", "ok", callA),
			request("root/child.1", 1, "a task"),
		} {
			if o := ask(t.Context(), p, req); o.Answer == nil {
				t.Fatal(o.Error)
			}
		}
	})
	end()
	b.opt.Normalise = []string{`\d{4}-\d\d-\d\d`}
	system := "You are in run_0123456789abcdef. " + long + " today is 2026-01-02."
	for _, row := range []struct {
		name string
		req  func() *model.Request
		want replay.Mismatch // sides as patterns; no pointer: no mismatch
		says string
	}{
		{"the same", func() *model.Request { return history(1, system, "ok", callA) }, replay.Mismatch{}, ""},
		{"another day", func() *model.Request { return history(1, strings.Replace(system, "01-02", "12-31", 1), "ok", callA) }, replay.Mismatch{}, ""},
		{"another call id", func() *model.Request { return history(1, system, "ok", callB) }, replay.Mismatch{}, ""},
		{"another run", func() *model.Request {
			r := history(1, strings.Replace(system, "0123456789abcdef", "zyxwvtsrqpnmkjhg", 1), "ok", callA)
			r.Run = "run_zyxwvtsrqpnmkjhg"
			return r
		}, replay.Mismatch{}, ""},
		{"a run with a name of its own", func() *model.Request {
			r := history(1, strings.Replace(system, "run_0123456789abcdef", "nightly-7", 1), "ok", callA)
			r.Run = "nightly-7"
			return r
		}, replay.Mismatch{}, ""},
		{"calls of two ids where one was", func() *model.Request {
			r := history(1, system, "ok", callA)
			r.Messages[1].Calls[0].Args = `{"id":"call_` + callB + `"}`
			return r
		}, replay.Mismatch{Pointer: "/messages/2/tool_calls/0/id", Line: 2, Recorded: `^"«id 1»"$`, Now: `^"«id 2»"$`, Further: 1, At: 2}, "the request is not the recorded one"},
		{"a text", func() *model.Request { return history(2, "short", "no", callA) },
			replay.Mismatch{Pointer: "/messages/3/content", Line: 3, Recorded: `^"ok"$`, Now: `^"no"$`, At: 3}, "line 3, the first difference is at /messages/3/content: recorded \"ok\", now \"no\"; nearest is root turn 2"},
		{"far in a long text", func() *model.Request { return history(1, strings.Replace(system, "today", "tomorrow", 1), "no", callA) },
			replay.Mismatch{Pointer: "/messages/0/content", Line: 2, Recorded: `^…ä+ today is «~»\."$`, Now: `^…ä+ tomorrow is «~»\."$`, Further: 1, At: 2}, ", and 1 further"},
		{"near in a long text", func() *model.Request { return history(1, "x"+system, "ok", callA) },
			replay.Mismatch{Pointer: "/messages/0/content", Line: 2, Recorded: `^"You are in «run». ä{180}…$`, Now: `^"xYou are in «run». ä{179}…$`, At: 2}, ""},
		{"another message", func() *model.Request {
			r := history(2, "short", "ok", callA)
			r.Messages = append(r.Messages, model.Message{Role: model.Host, Text: "go on"})
			return r
		}, replay.Mismatch{Pointer: "/messages/4", Line: 3, Recorded: `^\(absent\)$`, Now: `^{"content":"go on","role":"user"}$`, At: 3}, ""},
		{"a message less", func() *model.Request {
			r := history(2, "short", "ok", callA)
			r.Messages = r.Messages[:1]
			return r
		}, replay.Mismatch{Pointer: "/messages/2", Line: 3, Recorded: `^{"content":null,`, Now: `^\(absent\)$`, Further: 1, At: 3}, ""},
		{"a member more", func() *model.Request {
			r := history(2, "short", "ok", callA)
			r.MaxOutput = 9
			return r
		}, replay.Mismatch{Pointer: "/max_tokens", Line: 3, Recorded: `^\(absent\)$`, Now: `^9$`, At: 3}, ""},
		{"a member less", func() *model.Request {
			r := history(2, "short", "ok", callA)
			r.Tools = nil
			return r
		}, replay.Mismatch{Pointer: "/tools", Line: 3, Recorded: `^\[{"function":`, Now: `^\(absent\)$`, At: 3}, ""},
		{"a large number", func() *model.Request {
			r := history(2, "short", "ok", callA)
			r.Tools[0].Schema = []byte(strings.Replace(string(r.Tools[0].Schema), "0993", "0992", 1))
			return r
		}, replay.Mismatch{Pointer: "/tools/0/function/parameters/properties/n/maximum", Line: 3, Recorded: "^9007199254740993$", Now: "^9007199254740992$", At: 3}, ""},
		{"names that pointers escape", func() *model.Request {
			r := history(2, "short", "ok", callA)
			r.Tools[0].Schema = []byte(strings.Replace(string(r.Tools[0].Schema), `"n"`, `"a/b~c"`, 1))
			return r
		}, replay.Mismatch{Pointer: "/tools/0/function/parameters/properties/a~1b~0c", Line: 3, Recorded: `^\(absent\)$`, Now: "^{", Further: 1, At: 3}, ""},
		{"another turn", func() *model.Request { return history(7, "short", "no", callA) },
			replay.Mismatch{Pointer: "/messages/3/content", Line: 3, Recorded: `^"ok"$`, Now: `^"no"$`, At: 3}, "root turn 7 attempt 1: nothing is recorded in "},
		{"the same at another turn", func() *model.Request { return history(7, "short", "ok", callA) },
			replay.Mismatch{At: 3}, "; root turn 2 attempt 1 (line 3) is this very request; record it again"},
		{"the same at another invocation", func() *model.Request { return request("root/child.2", 1, "a task") },
			replay.Mismatch{At: 4}, "root/child.1 turn 1 attempt 1 (line 4) is this very request"},
		{"another attempt", func() *model.Request {
			r := request("root/child.1", 1, "a TASK")
			r.Attempt = 2
			return r
		}, replay.Mismatch{Pointer: "/messages/0/content", Line: 4, Recorded: `^"a task"$`, Now: `^"a TASK"$`, At: 4}, "attempt 2: nothing"},
		{"another invocation", func() *model.Request { return request("root/other", 1, "what") }, replay.Mismatch{}, "root/other turn 1 attempt 1: nothing is recorded in "},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, p := b.player()
			req := row.req()
			a, err := p.Answer(model.WithAttempt(t.Context(), req), req, nil)
			if row.says == "" && row.want == (replay.Mismatch{}) {
				if err != nil || a.Text != "4: ok" {
					t.Errorf("%+v %v", a, err)
				}
				return
			}
			var e *model.Error
			var m *replay.Mismatch
			if !errors.As(err, &e) || e.Code != "replay.mismatch" || e.Retried() || !errors.As(err, &m) {
				t.Fatalf("%+v %v", a, err)
			}
			for _, side := range []struct{ got, want string }{{m.Recorded, row.want.Recorded}, {m.Now, row.want.Now}} {
				if ok, _ := regexp.MatchString(side.want, side.got); !ok || (side.want == "") != (side.got == "") || utf8.RuneCountInString(side.got) > 200 {
					t.Errorf("a side is %q, want %q", side.got, side.want)
				}
			}
			if m.Pointer != row.want.Pointer || m.Line != row.want.Line || m.Further != row.want.Further || m.At != row.want.At || m.File != b.file {
				t.Errorf("got  %+v\nwant %+v", m, row.want)
			}
			if !strings.Contains(e.Detail, row.says) {
				t.Errorf("it says %s", e.Detail)
			}
		})
	}
}

// TestTheAddressCounts holds for providers that name the model in it.
func TestTheAddressCounts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	end := b.serve(http.HandlerFunc(echo))
	post := func(rt http.RoundTripper, path string) error {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.base+path, strings.NewReader(`{"messages":[{"content":"x"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := rt.RoundTrip(r)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	}
	r, err := replay.NewRecorder(b.file, b.opt)
	if err != nil {
		t.Fatal(err)
	}
	rt, err := r.Transport(testModel, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(post(rt, "/models/one:generate?alt=sse"), r.Close()); err != nil {
		t.Fatal(err)
	}
	end()
	p, err := replay.Open(b.file, b.opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	rt, err = p.Transport(testModel, nil)
	if err != nil {
		t.Fatal(err)
	}
	b.base = "http://elsewhere.invalid"
	if err := post(rt, "/v2/models/one:generate?alt=sse"); err != nil {
		t.Error(err)
	}
	var m *replay.Mismatch
	if err := post(rt, "/models/two:generate"); !errors.As(err, &m) || m.Pointer != "(end of the address)" || m.Recorded != `"one:generate"` || m.Now != `"two:generate"` || m.Further != 0 {
		t.Errorf("%v", err)
	}
}

// TestOnMissRecord asks for what is not there, adds it, and finds it the next time.
func TestOnMissRecord(t *testing.T) {
	t.Parallel()
	b := setup(t)
	end := b.serve(http.HandlerFunc(echo))
	b.opt.OnMiss, b.opt.Exact = replay.OnMissRecord, true
	asked := []*model.Request{request("root", 1, "one"), request("root", 1, "two"), request("root", 2, "three")}
	for round := range asked {
		player, p := b.player() // at first there is no file
		for _, req := range asked[:round+1] {
			if o := ask(t.Context(), p, req); o.Answer == nil || o.Answer.Text != "1: "+req.Messages[0].Text {
				t.Fatalf("%+v", o)
			}
		}
		if err := player.Close(); err != nil {
			t.Error(err)
		}
		if n := strings.Count(b.content(), `"attempt"`); n != round+1 {
			t.Errorf("round %d: %d interactions", round, n)
		}
	}
	end()
	player, p := b.player()
	if o := ask(t.Context(), p, request("root", 3, "four")); !strings.Contains(o.Error, "nothing listens") {
		t.Errorf("%+v", o)
	}
	if err := player.Close(); fault.Code(err) != "replay.unused" || !strings.Contains(err.Error(), "3 of 3 interactions were not asked for: root turn 1 attempt 1 (line 2), root turn 1 attempt 1 (line 4), root turn 2") {
		t.Errorf("%v", err)
	}
}

func TestExact(t *testing.T) {
	t.Parallel()
	b := setup(t)
	end := b.serve(http.HandlerFunc(echo))
	b.record(func(p *openai.Provider) {
		for turn := 1; turn <= 13; turn++ {
			ask(t.Context(), p, request("root", turn, "x"))
		}
	})
	end()
	for _, exact := range []bool{false, true} {
		b.opt.Exact = exact
		player, p := b.player()
		ask(t.Context(), p, request("root", 2, "x"))
		err := player.Close()
		if !exact && err != nil || exact && (fault.Code(err) != "replay.unused" || !strings.Contains(err.Error(), "12 of 13") || !strings.Contains(err.Error(), "root turn 11 attempt 1 (line 12), and 2 more")) {
			t.Errorf("exact %v: %v", exact, err)
		}
	}
}
