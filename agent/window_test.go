package agent

import (
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// windowed makes a root whose model has a window.
func windowed(t testing.TB, window int, change func(p *Profile), more ...tooling.Tool) *driver {
	t.Helper()
	env := testEnv(t, change, more...)
	m := env.Models["default"]
	m.Window = window
	env.Models["default"] = m
	return newDriver(t, env, Birth{Kind: "root", Profile: "root", Path: "root", Brief: "do it"})
}

// records gives the payloads of a type that the driver has kept.
func records[T journal.Payload](d *driver) (out []T) {
	for _, r := range d.log {
		if m, ok := r.Payload.(T); ok {
			out = append(out, m)
		}
	}
	return out
}

func usage(in, out, reasoning int64) func() journal.Usage {
	return func() journal.Usage {
		u := journal.Usage{Requests: 1}
		for _, n := range []struct {
			to **int64
			n  int64
		}{{&u.Input, in}, {&u.Output, out}, {&u.Reasoning, reasoning}} {
			if n.n > 0 {
				*n.to = &n.n
			}
		}
		return u
	}
}

// What a request is estimated to read follows from what was reported and from what was
// added, and stands in its record.
func TestEstimate(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("word ", 400) // 500 tokens by the estimate of texts
	for _, row := range []struct {
		name                  string
		in, out, reasoning    int64
		least, most, vanishes int64 // of what the second request reads more than was reported
	}{
		{"what was written counts as reported", 10_000, 700, 0, 700, 900, 0},
		{"without the reasoning, which is not sent again", 10_000, 700, 200, 500, 700, 0},
		{"an estimate of it, when it is not reported", 10_000, 0, 0, 500, 1800, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := rootDriver(t, nil)
			d.reports = usage(row.in, row.out, row.reasoning)
			d.turn(swarmtest.Say(text))
			d.ask()
			asked := records[*journal.ModelRequested](d)
			if first := asked[0].Estimate; first < 3000 || first > 4500 {
				t.Errorf("the first request is estimated at %d", first)
			}
			if more := asked[1].Estimate - row.in; more < row.least || more > row.most {
				t.Errorf("the second request is estimated at %d more than was reported", more)
			}
			if d.part.Estimate() != asked[1].Estimate {
				t.Error("the record says another estimate")
			}
		})
	}
}

// The window, what is kept for the answer, and what is left: limits-3.
func TestSpace(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		model   Model
		profile int // max_output
		said    string
		reserve int
		most    int64
	}{
		{"nobody knows", Model{}, 0, "", 8192, 0},
		{"a large window", Model{Window: 100_000}, 0, "", 8192, 100_000 - 8192 - 2000},
		{"a small one keeps a quarter", Model{Window: 8000}, 0, "", 2000, 8000 - 2000 - 160},
		{"a model with short answers", Model{Window: 100_000, Longest: 4096}, 0, "", 4096, 100_000 - 4096 - 2000},
		{"limits-3 the reserve of the team", Model{Window: 100_000, MaxOutput: 30_000}, 0, "", 30_000, 100_000 - 30_000 - 2000},
		{"limits-3 the reserve of the profile", Model{Window: 100_000, MaxOutput: 30_000}, 50_000, "", 50_000, 100_000 - 50_000 - 2000},
		{"limits-3 the reserve is larger than the window", Model{Window: 1000}, 5000, "", 5000, 1},
		{"the server names a smaller one", Model{Window: 100_000}, 0, "maximum context length is 16000 tokens", 4000, -1},
		{"the server names a larger one, which is not believed", Model{Window: 100_000}, 0, "maximum context length is 160000 tokens", 8192, -1},
		{"the server names the only one", Model{}, 0, "maximum context length is 16000 tokens", 4000, -1},
		{"the server names none", Model{}, 0, "too long", 8192, -1},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			env := testEnv(t, func(p *Profile) { p.MaxOutput = row.profile })
			row.model.Provider = swarmtest.Script{}
			env.Models["default"] = row.model
			d := newDriver(t, env, Birth{Kind: "root", Profile: "root", Path: "root", Brief: "do it"})
			p := d.part
			if row.said != "" {
				asked := p.Estimate()
				row.most = asked - 1 // what was too much is never sent again
				d.append(p.Failed(1, &model.Error{Class: model.ClassOverflow, Detail: row.said})...)
			}
			if p.answerSpace() != row.reserve || p.most() != row.most {
				t.Errorf("reserve %d, %d fit; want %d and %d", p.answerSpace(), p.most(), row.reserve, row.most)
			}
			if row.most > 0 && (!p.fits(row.most) || p.fits(row.most+1)) {
				t.Error("the border is elsewhere")
			}
		})
	}
}

// A server that reads far less than it is sent is suspected, once, to cut in silence.
func TestTruncationIsSuspected(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		reports []int64
		warned  int
	}{
		{"it reads all", []int64{3300, 3400, 3500, 3600, 3700}, 0},
		{"once is no reason", []int64{800, 3400, 800, 3600, 800}, 0},
		{"three times running", []int64{3300, 800, 800, 800, 800}, 1},
		{"nothing is reported", []int64{0, 0, 0, 0, 0}, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d := rootDriver(t, func(p *Profile) { p.MaxTextTurns = 20 })
			for _, n := range row.reports {
				d.reports = usage(n, 0, 0)
				d.turn(swarmtest.Say("thinking"))
			}
			d.ask()
			warned := records[*journal.ContextWarned](d)
			if len(warned) != row.warned || row.warned > 0 && warned[0].Code != "context_truncated_suspected" {
				t.Errorf("warned %+v", warned)
			}
		})
	}
}
