package swarm_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/config"
)

// Keys of the tests: one with characters that every encoding changes.
const (
	theKey   = `sk/live+4f9a=81c2&e7"d0\5b36`
	otherKey = "other-key-0123456789abcdef"
	theModel = "model-of-the-test"
)

// strangeKey is one that no team knows: it may stand in records, and not in a log.
var strangeKey = "ghp_" + strings.Repeat("a", 36)

// found gives what of a value stands in a text: its first 12 bytes, which no encoding of a
// text changes, and what is certain of it in base64 and in a URL.
func found(text, value string) []string {
	forms := []string{value[:12], url.QueryEscape(value[:12]), url.PathEscape(value[:12])}
	for shift := range 3 {
		whole := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + value))
		forms = append(forms, whole[4:20])
	}
	var out []string
	for _, form := range forms {
		if strings.Contains(text, form) {
			out = append(out, form)
		}
	}
	return out
}

// loot is everything that an attacker could read.
type loot struct {
	mu  sync.Mutex
	all map[string]*bytes.Buffer
}

// to gives the buffer of a name; the caller holds the lock.
func (l *loot) to(name string) *bytes.Buffer {
	if l.all == nil {
		l.all = map[string]*bytes.Buffer{}
	}
	if l.all[name] == nil {
		l.all[name] = new(bytes.Buffer)
	}
	return l.all[name]
}

// add takes a text, also from several goroutines at once.
func (l *loot) add(name string, text []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.to(name).Write(text)
}

// text gives what was taken under a name.
func (l *loot) text(name string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to(name).String()
}

// drop forgets what was taken under a name.
func (l *loot) drop(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.all, name)
}

// Write makes loot the target of a log.
func (l *loot) Write(p []byte) (int, error) {
	l.add("log", p)
	return len(p), nil
}

// directory takes every byte of a directory, names of files included.
func (l *loot) directory(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		l.add("data directory", append([]byte(path), b...))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// clean checks that no value is anywhere, and that something was looked through.
func (l *loot) clean(t *testing.T, values ...string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, b := range l.all {
		for _, v := range values {
			for _, form := range found(b.String(), v) {
				at := strings.Index(b.String(), form)
				t.Errorf("%s holds %q: …%q…", name, form, b.String()[max(0, at-80):min(b.Len(), at+80)])
			}
		}
	}
}

// event is one event of a stream of completions.
func event(delta map[string]any, finish string) string {
	choice := map[string]any{"index": 0, "delta": delta}
	if finish != "" {
		choice["finish_reason"] = finish
	}
	b, _ := json.Marshal(map[string]any{"id": "1", "model": "m", "choices": []any{choice}})
	return "data: " + string(b) + "\n\n"
}

// called is an event with one call.
func called(name, args string) string {
	return event(map[string]any{"tool_calls": []any{map[string]any{"index": 0, "id": "c", "type": "function", "function": map[string]any{"name": name, "arguments": args}}}}, "")
}

// gossip is a model server that tells everybody the key it was asked with.
type gossip struct {
	mu    sync.Mutex
	asked int
	body  *loot
}

func (g *gossip) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	g.asked++
	n := g.asked
	g.mu.Unlock()
	auth, more := r.Header.Get("Authorization"), r.Header.Get("X-More")
	key := strings.TrimPrefix(auth, "Bearer ")
	body := new(bytes.Buffer)
	_, _ = body.ReadFrom(r.Body)
	g.body.add("requests", body.Bytes())
	stream := func(events ...string) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, strings.Join(events, ""))
	}
	tool := func(args string) {
		stream(called("leak", args), event(map[string]any{}, "tool_calls"), "data: [DONE]\n\n")
	}
	hidden := ""
	for _, c := range key {
		hidden += fmt.Sprintf(`\u%04x`, c)
	}
	switch n {
	case 1: // in the status line
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			fmt.Fprintf(conn, "HTTP/1.1 503 no %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", auth)
			_ = conn.Close()
		}
	case 2:
		w.WriteHeader(http.StatusInternalServerError)
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": more + strings.Repeat("x", 440) + " wrong key: " + auth, "code": more}})
	case 3:
		stream(event(map[string]any{"content": "begun"}, ""), "event: error\ndata: "+`{"error":{"message":"`+hidden+more+`"}}`+"\n\n")
	case 4:
		fmt.Fprint(w, auth+" "+strings.Repeat("x", 147)+" "+more) // what is shown of it ends within the key
	case 5: // the text in pieces, a call with the key in its name and, hidden, in its arguments
		var events []string
		for _, c := range "The key is " + key + " indeed." {
			events = append(events, event(map[string]any{"content": string(c)}, ""))
		}
		stream(append(events, event(map[string]any{"reasoning_content": "I think " + key}, ""),
			called("no_"+key, `{"k":"`+hidden+`"}`), event(map[string]any{}, "tool_calls"), "data: [DONE]\n\n")...)
	case 6, 7, 8, 9, 10, 11, 12:
		tool(`{"who":"` + []string{"text", "json", "base64", "url", "error", "long", "panic"}[n-6] + `"}`)
	case 13: // arguments that are no JSON
		tool(`{"who":"` + hidden[:6] + key)
	case 14:
		stream(called("workspace_write_file", `{"path":"output/main.md","content":"`+hidden+`"}`), event(map[string]any{}, "tool_calls"), "data: [DONE]\n\n")
	case 15:
		stream(called("workspace_commit", `{"path":"output/main.md"}`), event(map[string]any{}, "tool_calls"), "data: [DONE]\n\n")
	case 16:
		stream(called("workspace_finish", `{"reason":"`+hidden+`"}`), event(map[string]any{}, "tool_calls"), "data: [DONE]\n\n")
	case 17:
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":{"message":"no such key: %s, and %s"}}`, hidden, more)
	default:
		<-r.Context().Done() // a run that does not end by itself
	}
}

// leaky is a tool that knows the key and tells it in many ways.
func leaky(t *testing.T) swarm.Tool {
	return goTool(t, "leak", func(_ context.Context, in map1) (any, error) {
		switch in.Who {
		case "text":
			return "It is " + theKey + ".", nil
		case "json":
			return map[string]any{theKey: []string{theKey, `{"in":"` + theKey + `"}`}}, nil
		case "base64":
			return "Basic " + base64.StdEncoding.EncodeToString([]byte("me:"+theKey)) + " " + base64.URLEncoding.EncodeToString([]byte(theKey)), nil
		case "url":
			return "https://x/?key=" + url.QueryEscape(theKey) + "#" + url.PathEscape(theKey), nil
		case "error":
			return nil, fmt.Errorf("GET failed with %s", theKey)
		case "long":
			return strings.Repeat("long ", 12_000) + theKey + strings.Repeat(" text", 12_000), nil
		}
		panic("the tool broke with " + strangeKey + strings.Repeat(" ", 128) + theKey)
	})
}

func gossipTeam(base string) *swarm.Team {
	t := swarm.NewTeam("leaks", swarm.Profile{ID: "lead", Prompt: "Lead."})
	t.Models[swarm.DefaultModel] = swarm.Model{Provider: config.OpenAI, Model: "${MODEL}", BaseURL: base, APIKey: "${THE_KEY}", Headers: map[string]string{"X-More": "${MORE}"}, Retry: swarm.Retry{Base: time.Nanosecond, Attempts: 10}}
	return t
}

func environment(pairs map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := pairs[name]; return v, ok }
}
