package swarm_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// TestNoSecretIsKeptOrShown has a server, a tool, a human and the host tell the key in every
// way, and then looks through everything that is kept or shown.
func TestNoSecretIsKeptOrShown(t *testing.T) {
	t.Parallel()
	got := new(loot)
	server := httptest.NewServer(&gossip{body: got})
	t.Cleanup(server.Close)
	dir, reg := t.TempDir(), prometheus.NewRegistry()
	rt, err := swarm.Open(t.Context(), swarm.Options{
		Dir: dir, Durability: "relaxed", Tools: []swarm.Tool{leaky(t)}, Registerer: reg, Env: environment(map[string]string{"THE_KEY": theKey, "MORE": otherKey, "MODEL": theModel}),
		Logger:  slog.New(slog.NewTextHandler(got, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Preview: func(_ string, d swarm.ModelDelta) { got.add("preview", []byte(d.Text+d.Reasoning+d.Args)) },
		OnCommit: func(_ context.Context, c swarm.Commit) (string, error) {
			got.add("commit", []byte(c.Content))
			return "ref-" + theKey, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	team := gossipTeam(server.URL)
	run, err := rt.Start(t.Context(), team, swarm.Input{Text: "Use " + theKey, Labels: map[string]string{"label": theKey}})
	if err != nil {
		t.Fatal(err)
	}
	take(t, got, run)
	var records []journal.Record
	for r, err := range run.Events(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		line, blobs, err := journal.Encode(&r)
		if err != nil {
			t.Fatal(err)
		}
		got.add("events", line)
		for _, b := range blobs {
			got.add("events", []byte(b.Data))
		}
		records = append(records, r)
	}
	if faults := journal.Verify(records); len(faults) > 0 {
		t.Errorf("the journal is broken: %v", faults)
	}
	if _, err := rt.Inspect(t.Context(), run.ID()); err != nil {
		t.Errorf("the journal cannot be folded: %v", err)
	}
	kinds := map[string]int{}
	for _, c := range callsOf(records, "root") {
		kinds[c.code()]++
	}
	if kinds["tool.panicked"] != 1 || kinds["tool.failed"] != 1 || kinds["tool.invalid_arguments"] != 1 || kinds[""] < 7 {
		t.Errorf("the calls did not go as they should: %v", kinds)
	}
	again, err := rt.Start(t.Context(), team, swarm.Input{Text: "Fail."})
	if err != nil {
		t.Fatal(err)
	}
	if res := take(t, got, again); res.Code != "model.auth" {
		t.Errorf("the server did not refuse: %+v", res)
	}
	third, err := rt.Start(t.Context(), team, swarm.Input{Text: "Hang."})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		rt.Say(t.Context(), third.ID(), "use "+theKey),
		rt.CancelTask(t.Context(), third.ID(), theKey, theKey),
		rt.Cancel(t.Context(), third.ID(), "because of "+theKey),
	} {
		got.add("errors", fmt.Appendf(nil, "%v %+v\n", err, err))
	}
	if res := take(t, got, third); res.Outcome != "cancelled" {
		t.Errorf("the third run was not cancelled: %+v", res)
	}
	for r := range third.Events(t.Context(), 0) {
		line, _, _ := journal.Encode(&r)
		got.add("third", line)
	}
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		var b bytes.Buffer
		if _, err := expfmt.MetricFamilyToText(&b, f); err != nil {
			t.Fatal(err)
		}
		got.add("metrics", b.Bytes())
	}
	if err := rt.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	got.directory(t, dir)
	if text := got.text("requests"); !strings.Contains(text, "Use {{secret:THE_KEY}}") || !strings.Contains(text, theModel) {
		t.Errorf("the server was asked otherwise:\n%.2000s", text)
	}
	got.clean(t, theKey, otherKey)
	got.drop("requests") // the server is told which model is meant
	got.clean(t, theModel)
	if strings.Contains(got.text("log"), strangeKey) || !strings.Contains(got.text("events"), strangeKey) {
		t.Errorf("what looks like a key belongs into records, not into the log:\n%s", got.text("log"))
	}
	for name, text := range map[string]string{
		"events": "{{secret:THE_KEY}}", "data directory": "{{secret:THE_KEY}}", "results": "{{secret:THE_KEY}}",
		"preview": "The key is {{secret:THE_KEY}} indeed.", "commit": "{{secret:THE_KEY}}", "metrics": "{{secret:MODEL}}", "log": "tool panicked",
		"third": "because of {{secret:THE_KEY}}",
	} {
		if !strings.Contains(got.text(name), text) {
			t.Errorf("%s does not hold %q: it proves nothing\n%.2000s", name, text, got.text(name))
		}
	}
}

// take waits for a run and keeps how it came to rest.
func take(t *testing.T, to *loot, run *swarm.Run) swarm.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	res, err := run.Wait(ctx)
	if ctx.Err() != nil {
		t.Fatal(err)
	}
	b, _ := json.Marshal(res)
	to.add("results", b)
	to.add("results", fmt.Appendf(nil, "%+v %v", res, err))
	return res
}

// TestSecretsOfTeamsAreApart runs two teams in one runtime whose keys have one name.
func TestSecretsOfTeamsAreApart(t *testing.T) {
	t.Parallel()
	tool := goTool(t, "tell", func(context.Context, none) (string, error) { return theKey + " and " + otherKey, nil })
	rt, err := swarm.Open(t.Context(), swarm.Options{Tools: []swarm.Tool{tool}, Env: environment(map[string]string{"MODEL": theModel})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rt.Close(context.WithoutCancel(t.Context())) })
	dir := t.TempDir()
	runs := map[string]*swarm.Run{}
	for _, v := range []string{theKey, otherKey} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body := new(bytes.Buffer)
			_, _ = body.ReadFrom(r.Body)
			name, args := "tell", `{}`
			if strings.Contains(body.String(), `"tool_call_id"`) {
				name, args = "workspace_finish", `{"reason":"told"}`
			}
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, called(name, args)+event(map[string]any{}, "tool_calls")+"data: [DONE]\n\n")
		}))
		t.Cleanup(server.Close)
		file := filepath.Join(dir, fmt.Sprint(len(runs)))
		if err := os.WriteFile(file, []byte(v+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		team := gossipTeam(server.URL)
		m := team.Models[swarm.DefaultModel]
		m.APIKey, m.APIKeyFile, m.Headers = "", file, nil
		team.Models[swarm.DefaultModel] = m
		if runs[v], err = rt.Start(t.Context(), team, swarm.Input{Text: "Tell."}); err != nil {
			t.Fatal(err)
		}
	}
	for v, want := range map[string]string{theKey: "{{secret:default.api_key_file}} and " + otherKey, otherKey: theKey + " and {{secret:default.api_key_file}}"} {
		take(t, new(loot), runs[v])
		records, err := rt.Store().Read(t.Context(), runs[v].ID(), journal.Query{})
		if err != nil {
			t.Fatal(err)
		}
		if c := callsOf(records, "root"); len(c) == 0 || c[0].Settled == nil || c[0].Settled.Content.Text != want {
			t.Errorf("the team of %q reads %+v, want %q", v, c, want)
		}
		if m := payloads[*journal.ModelRequested](records); len(m) == 0 || m[0].Model != "{{secret:MODEL}}" {
			t.Errorf("the model is recorded as %+v", m)
		}
	}
}

// TestTeamsThatHoldSecrets are refused before anything is stored.
func TestTeamsThatHoldSecrets(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		change func(*swarm.Team)
		code   string
		says   string
	}{
		"in a prompt":   {func(t *swarm.Team) { t.Agents["lead"].Prompt = "Use " + theKey + "." }, "config.literal_secret", "the secret THE_KEY"},
		"in base64":     {func(t *swarm.Team) { t.Agents["lead"].Prompt = base64.StdEncoding.EncodeToString([]byte("a" + theKey)) }, "config.literal_secret", "the secret THE_KEY"},
		"a literal key": {func(t *swarm.Team) { changeModel(t, func(m *swarm.Model) { m.APIKey = otherKey }) }, "config.literal_secret", "api_key holds a key itself"},
		"a literal header": {func(t *swarm.Team) {
			changeModel(t, func(m *swarm.Model) { m.Headers = map[string]string{"X-Api-Key": otherKey} })
		}, "config.literal_secret", "headers.X-Api-Key holds"},
		"an address with one":  {func(t *swarm.Team) { changeModel(t, func(m *swarm.Model) { m.BaseURL = "ftp://${THE_KEY}" }) }, "model.config_invalid", "{{secret:THE_KEY}}"},
		"plain by declaration": {func(t *swarm.Team) { t.PlainEnv = []string{"THE_KEY"}; t.Agents["lead"].Prompt = theKey }, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			rt, err := swarm.Open(t.Context(), swarm.Options{Env: environment(map[string]string{"THE_KEY": theKey, "MORE": otherKey, "MODEL": theModel}), Logger: slog.New(slog.NewTextHandler(&log, nil))})
			if err != nil {
				t.Fatal(err)
			}
			team := gossipTeam("http://127.0.0.1:9")
			changeModel(team, func(m *swarm.Model) { m.Retry.Attempts = 1 })
			row.change(team)
			run, err := rt.Start(t.Context(), team, swarm.Input{Text: "Go."})
			if fault.Code(err) != row.code {
				t.Errorf("code %q, want %q: %v", fault.Code(err), row.code, err)
			}
			if err != nil && (!strings.Contains(err.Error(), row.says) || len(found(fmt.Sprintf("%v %+v", err, err), theKey)) > 0 || strings.Contains(err.Error(), otherKey)) {
				t.Errorf("it says %v", err)
			}
			if run != nil {
				take(t, new(loot), run)
			}
			if err := rt.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func changeModel(t *swarm.Team, change func(*swarm.Model)) {
	m := t.Models[swarm.DefaultModel]
	change(&m)
	t.Models[swarm.DefaultModel] = m
}

// TestShortSecretsAreTold holds that operators hear of values that cannot be masked.
func TestShortSecretsAreTold(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	rt, err := swarm.Open(t.Context(), swarm.Options{Env: environment(map[string]string{"THE_KEY": "short", "MORE": otherKey, "MODEL": theModel}), Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	team := gossipTeam("http://127.0.0.1:9")
	changeModel(team, func(m *swarm.Model) { m.Retry.Attempts = 1 })
	for range 2 {
		run, err := rt.Start(t.Context(), team, swarm.Input{Text: "Go."})
		if err != nil {
			t.Fatal(err)
		}
		take(t, new(loot), run)
	}
	if err := rt.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if n := strings.Count(log.String(), "too short to be masked"); n != 1 || !strings.Contains(log.String(), "THE_KEY") || strings.Contains(log.String(), "=short") {
		t.Errorf("the log says:\n%s", log.String())
	}
}
