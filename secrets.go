package swarm

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/internal/secret"
)

// keys fills in what the models of one team refer to, and keeps what must not be seen:
// the values of `${NAME}`, but of names in the team's PlainEnv, and of key files. What is
// used is what is kept, as each is read once.
type keys struct {
	env    func(string) (string, bool) // nil: nothing is set
	plain  []string
	values map[string]string // by name of the variable, or place of the key file
	late   *secret.Growing   // all of them, and what key files hold later

	servers map[string]string // identity of the key, by model; those without a server are not here
}

func (rt *Runtime) keys(team *Team) *keys {
	return &keys{env: rt.o.Env, plain: team.PlainEnv, values: map[string]string{}, late: new(secret.Growing), servers: map[string]string{}}
}

// expand fills in `${NAME}`.
func (k *keys) expand(text string) (string, error) {
	return config.Expand(text, func(name string) (string, bool) {
		if k.env == nil {
			return "", false
		}
		v, ok := k.env(name)
		if ok && !slices.Contains(k.plain, name) {
			k.values[name] = v
		}
		return v, ok
	})
}

// file reads the key file of a model.
func (k *keys) file(model, path string) (string, error) {
	v, err := config.ReadKeyFile(path)
	if err != nil {
		return "", err
	}
	k.values[model+".api_key_file"] = v
	return v, nil
}

// again gives what reads the key file of a model once more, when its key was refused. The
// new key is as much a secret as the old one.
func (rt *Runtime) again(k *keys, model, path string) func() (string, error) {
	return func() (string, error) {
		v, err := config.ReadKeyFile(path)
		if err == nil {
			set := secret.New(map[string]string{model + ".api_key_file": v})
			k.late.Add(set)
			rt.known.add(set, rt.o.Logger)
		}
		return v, err
	}
}

// note keeps the values of a model whose provider the program has given itself: it may use
// them all the same. What is not there is no fault then.
func (k *keys) note(name string, m *config.Model) {
	for _, text := range append(slices.Collect(maps.Values(m.Headers)), m.APIKey, m.BaseURL, m.Model, m.Proxy) {
		_, _ = k.expand(text)
	}
	if m.APIKeyFile != "" {
		_, _ = k.file(name, m.APIKeyFile)
	}
}

// literals refuses models that hold a key themselves: it would stand in the first record.
func literals(team *Team) error {
	for _, name := range slices.Sorted(maps.Keys(team.Models)) {
		m := team.Models[name]
		if at := m.LiteralSecret(); at != "" {
			return fault.New("config.literal_secret", "model %s: %s holds a key itself; write ${NAME} and have Options.Env look NAME up, or use api_key_file", name, at).With("prepare team", team.Name)
		}
	}
	return nil
}

// secrets gives the set of the team whose models were made, for everything that its runs
// get from outside. A team that holds a value of it in another place is refused: its first
// record is the team itself.
func (k *keys) secrets(team *Team, canonical string) (secret.Set, error) {
	set := secret.New(k.values)
	if masked := set.Mask(canonical); masked != canonical {
		_, after, _ := strings.Cut(masked, "{{secret:")
		name, _, _ := strings.Cut(after, "}}")
		return set, fault.New("config.literal_secret",
			"the team itself holds the value of the secret %s, outside of its references; take it out, or list %s in plain_env when it is no secret", name, name).With("prepare team", team.Name)
	}
	k.late.Add(set)
	return k.late.Set(), nil
}

// named refuses an input whose names hold a secret: names of files and labels are kept as
// they are, so that they stay what they name.
func named(s secret.Set, in Input) error {
	holds := func(what, name string) error {
		masked := s.Mask(name)
		if masked == name {
			return nil
		}
		return fault.New("input.secret_name", "the name of a %s holds the value of a secret: %s; rename it", what, masked).With("start run", "")
	}
	for i := range in.Files {
		if err := holds("file", in.Files[i].Path); err != nil {
			return err
		}
	}
	for _, k := range slices.Sorted(maps.Keys(in.Labels)) {
		if err := holds("label", k); err != nil {
			return err
		}
	}
	return nil
}

// secretsOf gives the set of a run that somebody else may own, as this process knows the
// values. It is empty when the run cannot be read: then nothing is said to it either.
func (rt *Runtime) secretsOf(ctx context.Context, run string) secret.Set {
	team, _, err := rt.created(ctx, run)
	if err != nil {
		return secret.Set{}
	}
	k := rt.keys(team)
	for name, m := range team.Models { // a set, so order does not matter
		k.note(name, &m)
	}
	return secret.New(k.values)
}

// known are the secrets of all teams that a runtime has prepared, for its log: a line of it
// may be about any of them.
type known struct {
	mu   sync.Mutex
	set  secret.Set
	told map[string]bool // names of values that are not looked for
}

// add takes the secrets of a team, and tells operators of those that cannot be masked.
func (k *known) add(s secret.Set, log *slog.Logger) {
	k.mu.Lock()
	k.set = k.set.With(s)
	var fresh []string
	for _, name := range s.Unseen() {
		if !k.told[name] {
			fresh = append(fresh, name)
		}
	}
	for _, name := range fresh {
		if k.told == nil {
			k.told = map[string]bool{}
		}
		k.told[name] = true
	}
	k.mu.Unlock() // the log asks for the set
	if len(fresh) > 0 && log != nil {
		log.Warn("values of secrets are too short to be masked", slog.Any("names", fresh), slog.Int("least", secret.MinLength))
	}
}

// mask masks known secrets, and what looks like one of somebody else.
func (k *known) mask(text string) string {
	k.mu.Lock()
	set := k.set
	k.mu.Unlock()
	return secret.Likely(set.Mask(text))
}

// logger gives a logger whose lines hold no secret.
func (k *known) logger(l *slog.Logger) *slog.Logger {
	if l == nil {
		return nil
	}
	return slog.New(secret.Handler(l.Handler(), k.mask))
}
