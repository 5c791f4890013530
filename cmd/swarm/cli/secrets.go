package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/config"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/internal/secret"
)

// shortSecrets warns of values that a team uses as secrets and that cannot be masked,
// because they are too short to be looked for.
func (a *app) shortSecrets(team *config.Team) []config.Fault {
	var out []config.Fault
	for _, name := range slices.Sorted(maps.Keys(team.Models)) {
		out = append(out, a.shortSecretsOf(team, name)...)
	}
	return out
}

// shortSecretsOf is shortSecrets of one model.
func (a *app) shortSecretsOf(team *config.Team, name string) []config.Fault {
	m, values := team.Models[name], map[string]string{}
	for _, text := range append(slices.Collect(maps.Values(m.Headers)), m.Model, m.BaseURL, m.APIKey, m.Proxy) {
		// What is not set is told by those who need it.
		_, _ = config.Expand(text, func(name string) (string, bool) {
			v, ok := a.env(name)
			if ok && !slices.Contains(team.PlainEnv, name) {
				values[name] = v
			}
			return v, ok
		})
	}
	if m.APIKeyFile != "" {
		if key, err := config.ReadKeyFile(m.APIKeyFile); err == nil {
			values[name+".api_key_file"] = key
		}
	}
	var out []config.Fault
	for _, v := range secret.New(values).Unseen() {
		f := team.Place("models." + name)
		f.Code, f.Warning = "config.secret_short", true
		f.Text = fmt.Sprintf("models.%s: the value of %s is too short to be masked in records and logs", name, v)
		f.Mend = fmt.Sprintf("use one of at least %d characters", secret.MinLength)
		if m.APIKeyFile == "" || v != name+".api_key_file" {
			f.Mend += ", or list " + v + " in plain_env when it is no secret"
		}
		out = append(out, f)
	}
	return out
}

// sentence gives an error of the program without its code.
func sentence(err error) string { return strings.TrimSuffix(err.Error(), " ["+fault.Code(err)+"]") }
