package swarm

import (
	"context"
	"maps"
	"math"
	"slices"
	"sort"

	"github.com/seed-cf6d8d1b/swarm/agent"
	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/internal/secret"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/tooling/builtin"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// prepared is a team that is ready to run: immutable, and shared by its runs when it has
// no mounts.
type prepared struct {
	given     *Team // as the caller has it
	team      *Team // completed
	env       *agent.Env
	hash      string
	canonical string
}

func (p *prepared) release() {
	if p.env.Mounts != nil {
		p.env.Mounts.Close()
	}
}

// prepare checks a team and makes everything that its runs share.
func (rt *Runtime) prepare(team *Team) (*prepared, error) {
	if p := rt.last.Load(); p != nil && p.given == team {
		return p, nil
	}
	rt.preparing.Lock() // many runs of one team may start at once
	defer rt.preparing.Unlock()
	if p := rt.last.Load(); p != nil && p.given == team {
		return p, nil
	}
	given := team
	team = completed(given)
	if err := runnable(team, rt.o.Providers); err != nil {
		return nil, err
	}
	if err := isolated(team); err != nil {
		return nil, err
	}
	env := profilesOnly(team)
	tools, err := builtin.Collect(builtin.Core(), builtin.FileTools(), []tooling.Tool{builtin.CommitTool(rt.committer()), builtin.ShellTool(rt.shellOf(team), team.Shell.Limits)})
	if err != nil {
		return nil, err
	}
	if env.Catalogue, err = tooling.NewCatalogue(slices.Concat(tools, rt.o.Tools)...); err != nil {
		return nil, err
	}
	canonical, k := string(team.Canonical()), rt.keys(team)
	if env.Models, err = rt.models(team, k); err == nil {
		env.Secrets, err = k.secrets(team, canonical)
	}
	if err == nil {
		err = rt.limited(team, env.Models, k)
	}
	if err == nil {
		err = rt.priced(env)
	}
	if err != nil {
		return nil, secret.New(k.values).Error(err)
	}
	rt.known.add(env.Secrets, rt.o.Logger)
	if len(team.Mounts) > 0 {
		var cut []string
		if rt.o.Dir != "" {
			cut = append(cut, rt.o.Dir)
		}
		if env.Mounts, err = workspace.OpenMounts(team.Mounts, cut); err != nil {
			return nil, err
		}
	}
	p := &prepared{given: given, team: team, env: env, hash: team.Hash(), canonical: canonical}
	if _, err := env.Check(); err != nil {
		p.release()
		return nil, err
	}
	if env.Mounts == nil {
		rt.last.Store(p)
	}
	return p, nil
}

// runnable refuses a team that no run could begin with. Loading has said more, with file
// and line; a team that was built in code is judged whole by its Validate.
func runnable(team *Team, providers map[string]Provider) error {
	bad := func(format string, args ...any) error {
		return fault.New("config.invalid", format, args...).With("prepare team", team.Name)
	}
	if len(team.Agents) == 0 {
		return bad("the team has no agents")
	}
	for _, id := range slices.Sorted(maps.Keys(team.Agents)) {
		p := team.Agents[id]
		switch {
		case p == nil:
			return bad("agent %q is nil", id)
		case p.ID != id:
			return bad("agent %q has the id %q; an agent stands under its id, and each id is there once", id, p.ID)
		case !config.ValidAgentID(id):
			return bad("the id %.100q of an agent is not 1 to 64 characters of a-z, 0-9, - and _ that begin with a letter or digit, or it is reserved; give the agent another one", id)
		case !finite(p.Temperature) || !finite(&p.HistoryShare) || !finite(&p.CompactAt):
			return bad("the temperature, history share or compaction threshold of agent %q is no number", id)
		}
		name := p.Model
		if name == "" {
			name = config.DefaultModel
		}
		if _, ok := team.Models[name]; !ok && providers[name] == nil {
			return bad("agent %q uses the model %q, which is neither in the team's models nor among the providers of the runtime", id, name)
		}
		if name = p.CompactionModel; name != "" && providers[name] == nil {
			if _, ok := team.Models[name]; !ok {
				return bad("agent %q has its context compacted by the model %q, which is neither in the team's models nor among the providers of the runtime", id, name)
			}
		}
	}
	if team.Agents[team.Entry] == nil {
		return bad("the entry %q is not an agent of the team", team.Entry)
	}
	if err := literals(team); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(team.Models)) {
		if m := team.Models[name]; !finite(m.Temperature) || !finite(m.TopP) {
			return bad("temperature or top_p of model %q is no number", name)
		}
	}
	return nil
}

func finite(f *float64) bool { return f == nil || !math.IsNaN(*f) && !math.IsInf(*f, 0) }

// profilesOnly is what a fold needs of a team.
func profilesOnly(team *Team) *agent.Env {
	env := &agent.Env{Team: team.Name, Entry: team.Entry, Profiles: map[string]*agent.Profile{}, Budgets: team.Budgets.Defaults(), NoHuman: true}
	for id, p := range team.Agents {
		d := p.Defaults()
		d.ID = id
		env.Profiles[id] = &d
		env.Order = append(env.Order, id)
	}
	sort.Strings(env.Order)
	return env
}

type commitFunc func(ctx context.Context, c Commit) (string, error)

// Commit implements builtin.Committer.
func (f commitFunc) Commit(ctx context.Context, c builtin.Commit) (string, error) { return f(ctx, c) }

func (rt *Runtime) committer() builtin.Committer {
	if rt.o.OnCommit == nil {
		return nil
	}
	return commitFunc(rt.o.OnCommit)
}
