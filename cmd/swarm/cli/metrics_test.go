package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A team that has worked a little and then waits for its model.
const (
	heldTeam = `version: 1
name: held
entry: lead
models: {default: {provider: scripted, script: held.yaml}}
agents:
  lead: {prompt: Lead., delegation: {can_delegate: true, targets: [critic]}}
  critic: {prompt: Judge., description: Judges., delegation: {callable: true, as_child: true}}
`
	heldScript = `version: 1
agents:
  lead:
    - calls: [{workspace.list_files: {}}, {workspace.write_file: {path: output/a.md, content: x}}]
    - calls: [{agent.delegate: {agentId: critic, task: {objective: look}}}, {agent.await: {mode: allCompleted}}]
    - {text: late, latency: 1h}
  critic:
    - calls: [{workspace.list_files: {}}]
    - calls: [{task.return: {summary: fine}}]
`
)

var served = regexp.MustCompile(`metrics: (http://\S+)/metrics`)

// held begins the team and gives the process and the address of its series. It waits in
// its third turn.
func held(t *testing.T) (p *process, base, dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{"team.yaml": heldTeam, "held.yaml": heldScript} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p = begin(t, dir, "metrics: ", "run", ".", "x", "--metrics", "127.0.0.1:0", "--data", "data", "--verbose")
	m := served.FindStringSubmatch(p.stderr.String())
	if m == nil {
		t.Fatalf("no address in %s", &p.stderr)
	}
	asked := regexp.MustCompile(`(?m)^root +\d+ +model_requested`)
	for len(asked.FindAllString(p.stderr.String(), -1)) < 3 {
		p.await("model_requested")
	}
	p.id = regexp.MustCompile(`run_[0-9a-z]{12,}`).FindString(p.stderr.String()) // no type of records is that long
	return p, m[1], dir
}

// fetch gets a page.
func fetch(ctx context.Context, address string) (int, string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, "", err
	}
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := c.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return res.StatusCode, string(body), err
}

func TestMetricsAreServed(t *testing.T) {
	t.Parallel()
	p, base, dir := held(t)
	code, body, err := fetch(t.Context(), base+"/metrics")
	if err != nil || code != http.StatusOK || !strings.Contains(body, `swarm_runs_active{team="held"} 1`) {
		t.Errorf("%d %v\n%s", code, err, body)
	}
	if code, body, err := fetch(t.Context(), base+"/healthz"); err != nil || code != http.StatusOK || body != "ok\n" {
		t.Errorf("%d %v %s", code, err, body)
	}
	if code, body, err := fetch(t.Context(), base+"/"); err != nil || code != http.StatusOK || !strings.Contains(body, `<a href="/metrics">`) {
		t.Errorf("%d %v %s", code, err, body)
	}
	if code, _, err := fetch(t.Context(), base+"/other"); err != nil || code != http.StatusNotFound {
		t.Errorf("%d %v", code, err)
	}
	addr := strings.TrimPrefix(base, "http://")
	if out := called(t, dir, 0, "metrics", "--addr", addr); !regexp.MustCompile(`swarm_invocations\{agent,state\} +\d+ gauge `).MatchString(out) {
		t.Error(out)
	}
	if out := called(t, dir, 0, "metrics", "--json", "--addr", addr); !strings.Contains(out, `{"name":"swarm_runs_active","type":"gauge","labels":["team"],"help":"Runs that this process has at work now.","count":1}`) {
		t.Error(out)
	}
	out := called(t, dir, exitUsage, "run", ".", "x", "--metrics", addr, "--data", "other")
	if !strings.Contains(out, "--metrics "+addr+": another program has this address; take another port, or :0 for one that is free") {
		t.Error(out)
	}
	if _, err := os.Stat(filepath.Join(dir, "other")); err == nil {
		t.Error("the run began without its address")
	}
	p.signal(os.Interrupt)
	p.end(exitCancelled)
	if _, _, err := fetch(t.Context(), base+"/metrics"); err == nil {
		t.Error("it is served after the end of the program")
	}
	if out := called(t, dir, exitUsage, "resume", p.id, "--metrics", "x"); !strings.Contains(out, "--metrics is HOST:PORT") {
		t.Error(out)
	}
}

// The alerts of the document are good rules.
func TestDocumentedAlerts(t *testing.T) {
	t.Parallel()
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("no promtool: install the package prometheus")
	}
	doc, err := os.ReadFile("../../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rules, found := strings.Cut(string(doc), "```yaml\ngroups:")
	rules, _, ended := strings.Cut(rules, "```")
	if !found || !ended {
		t.Fatal("the document has no rules")
	}
	file := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(file, []byte("groups:"+rules), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), promtool, "check", "rules", file).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "SUCCESS") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestPromtoolLikesTheSeries needs promtool, which comes with Debian's package prometheus.
func TestPromtoolLikesTheSeries(t *testing.T) {
	t.Parallel()
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("no promtool: install the package prometheus")
	}
	p, base, _ := held(t)
	_, body, err := fetch(t.Context(), base+"/metrics")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), promtool, "check", "metrics")
	cmd.Stdin = strings.NewReader(body)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
	p.signal(os.Interrupt)
	p.end(exitCancelled)
}

// TestPrometheusScrapes has a real Prometheus server watch a run at work, and asks it.
func TestPrometheusScrapes(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("prometheus"); err != nil {
		t.Skip("no prometheus: install the package prometheus")
	}
	p, base, dir := held(t)
	server := prometheus(t, strings.TrimPrefix(base, "http://"))
	records := strings.Count(called(t, dir, 0, "events", p.id, "--json", "--data", "data"), "\n")
	for _, row := range []struct {
		query string
		want  float64
	}{
		{`up{job="swarm"}`, 1},
		{`swarm_runs_active{team="held"}`, 1},
		{`sum(swarm_runs_started_total)`, 1},
		{`swarm_invocations{agent="lead",state="running"}`, 1},
		{`sum(swarm_invocations{agent="critic"})`, 0},
		{`swarm_invocations_ended_total{agent="critic",kind="child",outcome="completed"}`, 1},
		{`sum(swarm_tasks_total{outcome="completed"})`, 1},
		{`sum(swarm_tool_calls_total{outcome="completed"})`, 6},
		{`swarm_tool_calls_total{tool="builtin:workspace.list_files",source="builtin"}`, 2},
		{`sum(swarm_tool_calls_in_flight)`, 0},
		{`swarm_model_requests_total{provider="scripted",outcome="completed"}`, 4},
		{`swarm_model_request_duration_seconds_count`, 4},
		{`sum(gen_ai_client_operation_duration_seconds_count{gen_ai_operation_name="chat"})`, 4},
		{`sum(swarm_journal_records_total)`, float64(records)},
		{`swarm_actors{kind="invocation"}`, 1},
		{`swarm_build_info`, 1},
	} {
		server.until(row.query, func(v float64) bool { return v == row.want })
	}
	for _, query := range []string{
		`histogram_quantile(0.99, sum by (le) (swarm_model_request_duration_seconds_bucket))`,
		`histogram_quantile(0.5, sum by (le) (swarm_journal_append_seconds_bucket))`,
		`histogram_quantile(0.9, sum by (le, tool) (swarm_tool_call_duration_seconds_bucket{tool="builtin:workspace.write_file"}))`,
	} {
		server.until(query, func(v float64) bool { return v > 0 && !math.IsInf(v, 0) })
	}
	p.signal(os.Interrupt)
	p.end(exitCancelled)
	server.until(`up{job="swarm"}`, func(v float64) bool { return v == 0 })
}

// promServer is a running Prometheus.
type promServer struct {
	t    *testing.T
	base string
}

// prometheus starts a server that scrapes a target, and waits until it listens.
func prometheus(t *testing.T, target string) *promServer {
	t.Helper()
	dir := t.TempDir()
	config := fmt.Sprintf("global: {scrape_interval: 200ms, scrape_timeout: 200ms}\nscrape_configs:\n  - {job_name: swarm, static_configs: [{targets: [%q]}]}\n", target)
	file := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "prometheus", "--config.file="+file, "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address=127.0.0.1:0")
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(pipe)
	listening := regexp.MustCompile(`msg="Listening on" address=(\S+)`)
	said := ""
	address := ""
	for address == "" && lines.Scan() {
		said += lines.Text() + "\n"
		if m := listening.FindStringSubmatch(lines.Text()); m != nil {
			address = m[1]
		}
	}
	read := make(chan struct{})
	go func() { // it must not block on its log
		defer close(read)
		_, _ = io.Copy(io.Discard, pipe)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-read
		_ = cmd.Wait() // it was killed
	})
	if _, _, err := net.SplitHostPort(address); err != nil {
		t.Fatalf("prometheus did not begin:\n%s", said)
	}
	return &promServer{t, "http://" + address}
}

// until asks until a query has one value that is good. Scrapes take their time, so it asks
// again at a steady pace.
func (s *promServer) until(query string, good func(float64) bool) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	pace := time.NewTicker(100 * time.Millisecond)
	defer pace.Stop()
	for {
		v, err := s.query(ctx, query)
		if err == nil && good(v) {
			return
		}
		select {
		case <-pace.C:
		case <-ctx.Done():
			s.t.Fatalf("%s is %v at last (%v)", query, v, err)
		}
	}
}

var errNoValue = errors.New("it has not exactly one value")

func (s *promServer) query(ctx context.Context, query string) (float64, error) {
	code, body, err := fetch(ctx, s.base+"/api/v1/query?query="+url.QueryEscape(query))
	if err != nil {
		return math.NaN(), err
	}
	var answer struct {
		Data struct {
			Result []struct{ Value [2]any }
		}
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil || code != http.StatusOK {
		return math.NaN(), fmt.Errorf("%d %s %w", code, body, err)
	}
	if len(answer.Data.Result) != 1 {
		return math.NaN(), errNoValue
	}
	text, _ := answer.Data.Result[0].Value[1].(string)
	return strconv.ParseFloat(text, 64)
}
