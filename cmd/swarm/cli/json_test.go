package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// jsonTeam makes a run with files of every kind, with a child, and with labels.
var jsonTeam = map[string]string{
	"team.yaml": `version: 1
name: shapes
entry: lead
models: {default: {provider: scripted, script: script.yaml}}
agents:
  lead:
    description: Leads.
    prompt: Lead.
    tools: {allow: [dice.roll, read, workspace.write_file, agent.delegate, agent.await], limits: {"builtin:dice.*": {calls: 2}}}
    delegation: {can_delegate: true}
  critic: {description: Judges., prompt: Judge., tools: {allow: []}, delegation: {callable: true, as_child: true}}
`,
	"script.yaml": `version: 1
agents:
  lead:
    - when: {turn: 1}
      usage: {input: 10, output: 5, cache_read: 1, cache_write: 1, reasoning: 1}
      calls:
        - workspace.write_file: {path: output/main.md, content: "one\ntwo\n"}
        - workspace.write_file: {path: output/run.sh, content: "#!/bin/sh\n", executable: true}
        - workspace.write_file: {path: output/raw, content: "\0\0\0\0"}
        - workspace.write_file: {path: output/long.md, content: '{{ printf "%030000d" 7 }}'}
        - agent.delegate: {agentId: critic, task: {objective: Judge it.}}
        - agent.await: {}
    - calls: [{workspace.finish: {reason: It is done.}}]
  critic:
    - calls: [{task.return: {summary: Good.}}]
`,
	"keyless.yaml":       "version: 1\nname: keyless\nmodels: {default: {provider: openai, model: m, api_key: \"${SHAPES_UNSET}\"}}\nagents: {lead: {prompt: x}}\n",
	"broken.yaml":        "version: 1\nname: broken\nmodels: {default: {provider: scripted, script: broken.script.yaml}}\nagents: {lead: {prompt: x, toools: 1}}\n",
	"failing.yaml":       "version: 1\nname: failing\nmodels: {default: {provider: scripted, script: broken.script.yaml}}\nagents: {lead: {prompt: x}}\n",
	"broken.script.yaml": "version: 1\nagents:\n  lead:\n    - when: {turn: 9}\n      text: never\n",
}

// rare are fields that no case here prints, with the reason.
var rare = map[string]string{
	"result.open":     "nothing waits for a human in this version",
	"sent.survivors":  "every agent of these runs stops",
	"record.optional": "no record of this version is optional",
	"record.cause":    "no record of this version names its cause",
	"metrics.addr":    "a running program is asked by metrics.txtar",
	"series.count":    "a running program is asked by metrics.txtar",
	"version.commit":  "the program of these tests is built from no commit",
	"shown_run.limit": "the budgets of these runs last",
	"finding.seq":     "damage is shown by the tests of doctor",

	"file.kind":      "nobody makes links or empty directories in these runs",
	"file.target":    "nobody makes links in these runs",
	"file_diff.kind": "nobody makes links or empty directories in these runs",

	"shell.reason":   "shell.txtar looks at a script that is stopped",
	"shell.limit":    "shell.txtar looks at a script that is stopped",
	"shell.left_out": "these scripts write little",

	"usage.cost_reported_nanousd": "scripted models cost nothing and say so of nothing",

	"usage.cost_missing": "scripted models are free; a server without a price is asked by cost.txtar",
}

// jsonCase is a command whose values are compared with the page and with a golden file.
type jsonCase struct {
	golden string
	shape  string
	code   int
	args   string // RUN, FAILED and PAUSED are ids
}

var jsonCases = []jsonCase{
	{"events", "record", 0, "events RUN"},
	{"runs", "listed_run", 0, "runs"},
	{"show", "shown_run", 0, "show RUN"},
	{"show_failed", "shown_run", 0, "show FAILED"},
	{"show_paused", "shown_run", 0, "show PAUSED"},
	{"files", "files", 0, "files RUN"},
	{"files_text", "files", 0, "files RUN output/main.md"},
	{"files_binary", "files", 0, "files RUN output/raw"},
	{"files_out", "files", 0, "files RUN output --out copy"},
	{"diff", "diff", 0, "diff RUN"},
	{"tools", "tools", 0, "tools team.yaml lead --prompt"},
	{"call", "call", 0, `call team.yaml workspace.write_file {"path":"output/a","content":"x"}`},
	{"call_error", "call", 1, "call team.yaml workspace.write_file {}"},
	{"explain", "explanation", 0, "call team.yaml dice.roll --explain"},
	{"explain_denied", "explanation", 0, "call team.yaml update_plan --explain"},
	{"shell", "shell", 0, "shell -c pwd"},
	{"check", "check", 0, "check team.yaml"},
	{"check_faults", "check", 2, "check broken.yaml"},
	{"check_warnings", "check", 0, "check keyless.yaml"},
	{"say", "sent", 0, "say PAUSED hint"},
	{"cancel", "sent", 0, "cancel PAUSED"},
	{"pause", "sent", 0, "pause PAUSED"},
	{"metrics", "metrics", 0, "metrics team.yaml"},
	{"doctor", "doctor", 1, "doctor keyless.yaml"},
	{"init", "init", 0, "init made"},
	{"version", "version", 0, "version"},
}

// TestJSONShapes compares what --json prints with docs/json.md and with golden files.
func TestJSONShapes(t *testing.T) {
	t.Parallel()
	page := readShapes(t)
	dir := t.TempDir()
	for name, text := range jsonTeam {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]bool{}
	compare := func(golden string, values []any, shape func(v map[string]any) string) {
		t.Helper()
		for _, v := range values {
			o, ok := v.(map[string]any)
			if !ok {
				t.Fatalf("%s: %v is no object", golden, v)
			}
			page.check(t, shape(o), o, golden, seen)
		}
		sameGolden(t, golden, values)
	}
	stream := func(v map[string]any) string {
		if v["type"] == "result" {
			return "result"
		}
		return "record"
	}
	compare("run", printed(t, dir, exitDone, "run", "team.yaml", "x", "--label", "ticket=17", "--json"), stream)
	ids := map[string]string{"RUN": newest(t, dir)}
	compare("run_failed", printed(t, dir, exitFailed, "run", "failing.yaml", "x", "--json"), stream)
	ids["FAILED"] = newest(t, dir)
	var held, actors, works []any
	ids["PAUSED"] = pausedRun(t, dir, func() {
		held = printed(t, dir, 0, "runs", "--state", "running", "--json")
		works = printed(t, dir, 0, "show", newest(t, dir), "--json")
		actors = printed(t, dir, 0, "show", newest(t, dir), "--tree", "--json")
	})
	compare("show_running", works, func(map[string]any) string { return "shown_run" })
	compare("show_tree", actors, func(map[string]any) string { return "live_run" })
	compare("runs_held", held, func(map[string]any) string { return "listed_run" })
	for _, c := range jsonCases {
		args := strings.Fields(c.args)
		for i := range args {
			if id := ids[args[i]]; id != "" {
				args[i] = id
			}
		}
		compare(c.golden, printed(t, dir, c.code, append(args, "--json")...), func(map[string]any) string { return c.shape })
	}
	for _, name := range slices.Sorted(maps.Keys(page.shapes)) {
		for _, f := range page.shapes[name] {
			switch key := name + "." + f.name; {
			case rare[key] != "" && seen[key]:
				t.Errorf("%s is printed: it is not rare", key)
			case rare[key] == "" && !seen[key]:
				t.Errorf("docs/json.md has %s, and no case prints it", key)
			}
		}
	}
}

// TestJSONPageIsWhole holds that every command and every shape has its place on the page
// and in the help.
func TestJSONPageIsWhole(t *testing.T) {
	t.Parallel()
	page := readShapes(t)
	commands(func(cmd *cobra.Command, path string) {
		first, _, _ := strings.Cut(path, " ")
		if path == "" || cmd.HasAvailableSubCommands() || first == "help" || first == "completion" {
			return
		}
		if !slices.Contains(page.commands, path) {
			t.Errorf("docs/json.md has no section %q", "swarm "+path)
		}
		if !regexp.MustCompile(`(?m)^(\S+, )*` + first + `\b`).MatchString(jsonTopic) {
			t.Errorf("swarm help json does not name %q", path)
		}
	})
}

// printed runs the program and gives the values that it prints.
func printed(t *testing.T, dir string, code int, args ...string) []any {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "swarm", args...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	_ = cmd.Run() // the exit code says it
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Fatalf("swarm %s: exit code %d, want %d:\n%s", strings.Join(args, " "), got, code, errs.String())
	}
	var values []any
	for d := json.NewDecoder(&out); ; {
		var v any
		if err := d.Decode(&v); err == io.EOF {
			return values
		} else if err != nil {
			t.Fatalf("swarm %s: %v:\n%s", strings.Join(args, " "), err, out.String())
		}
		values = append(values, v)
	}
}

func newest(t *testing.T, dir string) string {
	t.Helper()
	return printed(t, dir, 0, "runs", "--json")[0].(map[string]any)["run"].(string)
}

// sameGolden compares values with testdata/json/NAME.golden. What differs from run to run
// and from machine to machine is masked, and of records only the fields are kept, by type.
func sameGolden(t *testing.T, name string, values []any) {
	t.Helper()
	var b strings.Builder
	records := map[string]map[string]bool{}
	for _, v := range values {
		if o := v.(map[string]any); o["payload"] != nil {
			fields := records[o["type"].(string)]
			if fields == nil {
				fields = map[string]bool{}
				records[o["type"].(string)] = fields
			}
			for _, part := range []string{"payload", "scope"} {
				for field := range o[part].(map[string]any) {
					fields[part+"."+field] = true
				}
			}
			continue
		}
		text, err := json.MarshalIndent(masked("", v), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(text, '\n'))
	}
	for _, kind := range slices.Sorted(maps.Keys(records)) {
		b.WriteString(kind + ": " + strings.Join(slices.Sorted(maps.Keys(records[kind])), " ") + "\n")
	}
	file := filepath.Join("testdata", "json", name+".golden")
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("%s differs; go test ./cmd/swarm/cli -run TestJSONShapes -update rewrites it:\n%s", file, b.String())
	}
}

var volatile = []struct {
	re *regexp.Regexp
	by string
}{
	{regexp.MustCompile(`run_[0-9a-z]{16}`), "run_ID"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z`), "TIME"},
	{regexp.MustCompile(`\b[0-9a-f]{16,}\b`), "HASH"},
}

// masked replaces what differs by its kind, and cuts what is long.
func masked(field string, v any) any {
	switch v := v.(type) {
	case string:
		switch field {
		case "holder", "version", "go", "os", "arch", "doing":
			return strings.ToUpper(field)
		}
		for _, m := range volatile {
			v = m.re.ReplaceAllString(v, m.by)
		}
		if r := []rune(v); len(r) > 100 {
			v = string(r[:100]) + "…"
		}
		return v
	case float64:
		switch field {
		case "seq", "last_seq", "records", "duration_ns", "input", "output":
			return field
		}
	case []any:
		out := []any{}
		for i, one := range v {
			if i == 2 {
				return append(out, "…")
			}
			out = append(out, masked(field, one))
		}
		return out
	case map[string]any:
		if field == "schema" {
			return "with " + strings.Join(slices.Sorted(maps.Keys(v)), ", ")
		}
		out := map[string]any{}
		for name, one := range v {
			out[name] = masked(name, one)
		}
		return out
	}
	return v
}
