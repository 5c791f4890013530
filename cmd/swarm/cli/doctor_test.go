package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// aKey has characters that encodings change.
const aKey = `sk/live+4f9a=81c2&e7"d0\5b36`

// inside runs the program in this process with an environment of its own.
func inside(t *testing.T, code int, env map[string]string, args ...string) (out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	got := Main(args, strings.NewReader(""), &o, &e, func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	if got != code {
		t.Errorf("swarm %s: exit code %d, want %d:\n%s%s", strings.Join(args, " "), got, code, o.String(), e.String())
	}
	return o.String(), e.String()
}

// said compares a text with patterns of lines.
func said(t *testing.T, text string, patterns ...string) {
	t.Helper()
	for _, p := range patterns {
		if !regexp.MustCompile(`(?m)` + p).MatchString(text) {
			t.Errorf("%q is not said:\n%s", p, text)
		}
	}
}

func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// leaky is a server that tells the key that it is asked with, unless it answers.
func leaky(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("X-Key") + r.Header.Get("Authorization")
		switch r.URL.Path {
		case "/good/chat/completions":
			fmt.Fprintf(w, `{"model":"m-1","choices":[{"message":{"content":"here"},"finish_reason":"stop"}]}`)
		case "/said/chat/completions": // an answer that has the key
			_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": map[string]any{"content": "Your key is " + key}, "finish_reason": "stop"}}})
		default:
			w.WriteHeader(http.StatusUnauthorized)
			_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": "wrong key: " + key + " and ghp_" + strings.Repeat("z", 36)}})
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func TestDoctorAsksModels(t *testing.T) {
	t.Parallel()
	url := leaky(t).URL
	dir := writeFiles(t, map[string]string{"team.yaml": strings.ReplaceAll(`version: 1
name: asked
models:
  default: {provider: openai, model: m, base_url: URL/good, api_key: "${KEY}"}
  bad: {provider: openai, model: m, base_url: URL/bad, auth: "header:X-Key", api_key: "${KEY}"}
  more: {provider: openai, model: m, base_url: URL/bad, auth: none, headers: {X-Key: "${KEY}"}}
  away: {provider: openai, model: m, base_url: "http://127.0.0.1:1/v1", auth: none}
  unset: {provider: openai, model: m, base_url: URL/good, api_key: "${NONE}"}
agents: {lead: {prompt: x}}
`, "URL", url)})
	team, env := filepath.Join(dir, "team.yaml"), map[string]string{"KEY": aKey}
	out, errs := inside(t, exitFailed, env, "doctor", team)
	if strings.Contains(out, "live") {
		t.Errorf("somebody was asked without --live:\n%s", out)
	}
	live, moreErrs := inside(t, exitFailed, env, "doctor", team, "--live")
	said(t, live, `^ok +live default +answered in .*, as m-1$`, `^broken +live bad +model\.auth after .*: status 401: wrong key: `, `^broken +live more +model\.auth after .*\{\{secret:KEY\}\}`,
		`^ +mend: check the key, and that it may use this model$`, `^broken +live away +model\.connection after .*nothing listens at 127.0.0.1:1`,
		`^broken +model unset +api_key: the environment variable NONE is not set`)
	if strings.Contains(live, "live unset") {
		t.Errorf("a model without its key was asked:\n%s", live)
	}
	text, more := inside(t, exitFailed, env, "doctor", team, "--live", "--json")
	for _, s := range []string{out, errs, live, moreErrs, text, more} {
		if strings.Contains(s, aKey[:12]) {
			t.Errorf("the key is printed:\n%s", s)
		}
	}
	if strings.Contains(live, "ghp_") {
		t.Errorf("what looks like a key is printed:\n%s", live)
	}
}

// changed alters the database of a data directory.
func changed(t *testing.T, data, statement string) {
	t.Helper()
	c, err := sqlite.OpenConn(filepath.Join(data, "journal.db"), sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteTransient(c, statement, nil); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestDoctorFindsDamage(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		statement string
		run       bool // a run is named
		says      []string
	}{
		"whole":        {"PRAGMA user_version", false, nil},
		"a record":     {"UPDATE chunk SET data = X'00' WHERE id = (SELECT max(id) FROM chunk)", true, []string{`^broken +journal +run_\w+: record \d+: `, `^ +mend: put a copy of the data directory in its place`}},
		"a lost row":   {"DELETE FROM chunk WHERE id = (SELECT min(id) FROM chunk)", true, []string{`^broken +journal +run_\w+: record 1: it is missing`}},
		"a blob":       {"UPDATE blob SET data = X'00'", true, []string{`^broken +journal +run_\w+: record \d+: blob [0-9a-f]{64}: .*the blob is damaged`, `^ +mend: put a copy of this blob`}},
		"a lost blob":  {"DELETE FROM blob", true, []string{`^broken +journal +run_\w+: record \d+: blob [0-9a-f]{64}: .*there is no such blob`}},
		"newer format": {"PRAGMA user_version=99", false, []string{`^broken +format +the data has format 99, this program knows up to \d+$`, `^ +mend: use the newer version`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := writeFiles(t, map[string]string{"team.yaml": "version: 1\nname: big\nmodels: {default: {provider: scripted, script: s.yaml}}\nagents: {lead: {prompt: x}}\n",
				"s.yaml": "version: 1\nagents:\n  lead:\n    - calls: [{workspace.write_file: {path: output/main.md, content: '{{ printf \"%020000d\" 7 }}'}}]\n    - calls: [{workspace.finish: {reason: done}}]\n"})
			data := filepath.Join(dir, "data")
			inside(t, exitDone, nil, "run", filepath.Join(dir, "team.yaml"), "go", "--data", data, "--quiet")
			changed(t, data, row.statement)
			before := contents(t, data)
			code := exitFailed
			if row.says == nil {
				code = exitDone
			}
			out, _ := inside(t, code, nil, "doctor", "--store", "--data", data)
			said(t, out, row.says...)
			text, _ := inside(t, code, nil, "doctor", "--store", "--data", data, "--json")
			var v map[string]any
			if err := json.Unmarshal([]byte(text), &v); err != nil {
				t.Fatal(err)
			}
			seen := map[string]bool{}
			readShapes(t).check(t, "doctor", v, "doctor", seen)
			if seen["finding.run"] != row.run || seen["finding.seq"] != row.run {
				t.Errorf("run and seq are told: %v\n%s", seen, text)
			}
			if after := contents(t, data); after != before {
				t.Errorf("the data directory was changed")
			}
		})
	}
}

// contents gives names and bytes of a data directory.
func contents(t *testing.T, data string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %x\n", path, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestDoctorTellsWhoWaits(t *testing.T) {
	t.Parallel()
	dir := slow(t, "1h")
	p := begin(t, dir, "started: lead", "run", ".", "x")
	data := filepath.Join(dir, ".swarm")
	out, _ := inside(t, exitDone, nil, "doctor", "--data", data)
	said(t, out, `^ok +runs +1 run: 1 running; held by \S+/\d+/\w+$`)
	p.signal(os.Kill)
	p.end(-1)
	out, _ = inside(t, exitDone, nil, "doctor", "--data", data)
	said(t, out, `^ok +runs +1 run: 1 interrupted$`, `^warn +runs +`+p.id+`: was interrupted: nobody works on it$`, `^ +mend: swarm resume `+p.id+` --data `)
	leases := 0
	c, err := sqlite.OpenConn(filepath.Join(data, "journal.db"), sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	err = sqlitex.ExecuteTransient(c, "SELECT 1 FROM lease", &sqlitex.ExecOptions{ResultFunc: func(*sqlite.Stmt) error { leases++; return nil }})
	if err != nil || c.Close() != nil || leases != 1 {
		t.Errorf("there are %d leases, and one process has run; %v", leases, err)
	}
}

// TestNoKeyOnScreens looks through everything that the commands print of runs whose server
// tells the key.
func TestNoKeyOnScreens(t *testing.T) {
	t.Parallel()
	url := leaky(t).URL
	dir := writeFiles(t, map[string]string{"team.yaml": "version: 1\nname: seen\nmodels: {default: {provider: openai, model: m, base_url: URL, auth: \"header:X-Key\", api_key: \"${KEY}\"}}\nagents: {lead: {prompt: x}}\n"})
	env := map[string]string{"KEY": aKey}
	data := filepath.Join(dir, "data")
	var all strings.Builder
	do := func(code int, args ...string) string {
		out, errs := inside(t, code, env, append(args, "--data", data)...)
		all.WriteString(out + errs)
		return out + errs
	}
	team := filepath.Join(dir, "team.yaml")
	do(exitPartial, "run", team, "Use "+aKey, "--set", "models.default.base_url="+url+"/said", "--verbose")
	last := runID.FindString(do(exitFailed, "run", team, "x", "--set", "models.default.base_url="+url+"/bad"))
	shown := do(exitDone, "show", last) + do(exitDone, "events", last)
	if !strings.Contains(shown, "{{secret:") || strings.Contains(shown, "ghp_") {
		t.Errorf("screens say:\n%s", shown)
	}
	whole := do(exitDone, "events", last, "--json")
	if !strings.Contains(whole, "ghp_") {
		t.Errorf("what only looks like a key belongs into records:\n%s", whole)
	}
	for _, id := range runID.FindAllString(do(exitDone, "runs", "--json"), -1) {
		do(exitDone, "events", id, "--json")
		do(exitDone, "show", id, "--json")
	}
	do(exitDone, "doctor", "--store")
	all.WriteString(contents(t, data))
	if text := all.String(); strings.Contains(text, aKey[:12]) || strings.Contains(text, fmt.Sprintf("%x", aKey[:12])) {
		t.Error("the key is printed or kept")
	} else if !strings.Contains(text, "Your key is {{secret:KEY}}") {
		t.Errorf("nothing is proved:\n%.3000s", text)
	}
}
