package modeltest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/scripted"
)

// maxRequest bounds one request in bytes.
const maxRequest = 64 << 20

// ChatServer speaks Chat Completions from a script, streamed or not. The wire has no
// place for the agent, so the model of a request names it; what the script does not know
// is the agent "*". A request that [ValidateChat] finds wrong is answered with a 400.
type ChatServer struct{ desk }

var _ http.Handler = (*ChatServer)(nil)

// Server makes a server of a script. Which step answers is found from the request alone,
// by asking the script for each answer in its history again.
func Server(s *scripted.Script, opt scripted.Options) *ChatServer {
	return &ChatServer{newDesk(s, opt)}
}

// ServeHTTP implements [http.Handler].
func (s *ChatServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		writeFault(w, http.StatusNotFound, "not_found", "only POST …/chat/completions is served")
		return
	}
	body, err := s.take(r)
	if err != nil {
		writeFault(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	if faults := ValidateChat(body); faults != nil {
		writeFault(w, http.StatusBadRequest, "invalid_request_error", faults[0].String())
		return
	}
	var in chatRequest
	if err := json.Unmarshal(body, &in); err != nil {
		writeFault(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	req := s.canonical(&in)
	a, shown, err := s.answer(r.Context(), body, req)
	if err != nil {
		s.fail(w, &in, err, shown)
		return
	}
	if in.Stream {
		stream(w, &in, a)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(encode(whole(a)))
}

// fail answers as a server does for the error of the script.
func (s *ChatServer) fail(w http.ResponseWriter, in *chatRequest, err error, shown string) {
	var e *model.Error
	if !errors.As(err, &e) {
		writeFault(w, http.StatusInternalServerError, "server_error", err.Error())
		return
	}
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(e.RetryAfter.Seconds()))))
	}
	switch {
	case e.Status != 0:
		writeFault(w, e.Status, strings.TrimPrefix(e.Code, "model."), e.Detail)
	case e.Code == "model.stream_incomplete" && in.Stream:
		out := newEvents(w)
		if shown != "" {
			out.send(piece(map[string]any{"role": "assistant", "content": shown}, ""))
		}
		panic(http.ErrAbortHandler) // cuts the connection
	case e.Code == "model.stream_incomplete":
		panic(http.ErrAbortHandler)
	case e.Retried(): // inside a success, as some servers do
		said := map[string]any{"error": map[string]any{"code": strings.TrimPrefix(e.Code, "model."), "message": e.Detail}}
		if in.Stream {
			newEvents(w).send(said)
		} else {
			_, _ = w.Write(encode(said))
		}
	default:
		writeFault(w, http.StatusBadRequest, strings.TrimPrefix(e.Code, "model."), e.Detail)
	}
}

type chatRequest struct {
	Model   string
	Stream  bool
	Options struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Messages []struct {
		Role       string
		Content    chatContent
		ToolCallID string `json:"tool_call_id"`
		ToolCalls  []struct {
			ID       string
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
	Tools []struct {
		Function struct {
			Name, Description string
			Parameters        json.RawMessage
		}
	}
}

// canonical makes the request that the script is asked with.
func (s *ChatServer) canonical(in *chatRequest) *model.Request {
	req := &model.Request{Model: in.Model, Agent: in.Model}
	for _, t := range in.Tools {
		req.Tools = append(req.Tools, model.ToolDef{Name: t.Function.Name, Description: t.Function.Description, Schema: t.Function.Parameters})
	}
	for i := range in.Messages {
		m := &in.Messages[i]
		switch m.Role {
		case "system", "developer":
			req.System = string(m.Content)
		case "user":
			if req.Input == "" {
				req.Input = string(m.Content)
			}
			req.Messages = append(req.Messages, model.Message{Role: model.User, Text: string(m.Content)})
		case "assistant":
			step := s.provider.Step(req)
			out := model.Message{Role: model.Assistant, Text: string(m.Content),
				Native: []json.RawMessage{json.RawMessage(fmt.Sprintf(`{"provider":"scripted","step":%d}`, step))}}
			for _, c := range m.ToolCalls {
				out.Calls = append(out.Calls, model.Call{Key: strings.TrimPrefix(c.ID, "call_"), Name: c.Function.Name, Args: c.Function.Arguments})
			}
			req.Messages = append(req.Messages, out)
		case "tool":
			s.result(req, string(m.Content))
		}
	}
	return req
}

// result adds a result to the calls that are open; the validator saw to their order.
func (s *ChatServer) result(req *model.Request, content string) {
	last := &req.Messages[len(req.Messages)-1]
	if last.Role != model.Tool {
		req.Messages = append(req.Messages, model.Message{Role: model.Tool})
		last = &req.Messages[len(req.Messages)-1]
	}
	call := req.Messages[len(req.Messages)-2].Calls[len(last.Results)]
	last.Results = append(last.Results, model.Result{Key: call.Key, Name: call.Name, Text: content,
		IsError: strings.HasPrefix(content, "error ")})
}

func writeFault(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(encode(map[string]any{"error": map[string]any{"message": message, "type": code, "code": code, "param": nil}}))
}

// whole is a response that is not streamed.
func whole(a *model.Answer) any {
	message := map[string]any{"role": "assistant", "content": nil}
	if a.Text != "" {
		message["content"] = a.Text
	}
	if a.Reasoning != "" {
		message["reasoning_content"] = a.Reasoning
	}
	var calls []any
	for i := range a.Calls {
		c := &a.Calls[i]
		calls = append(calls, map[string]any{"id": providerID(i), "type": "function",
			"function": map[string]any{"name": c.Name, "arguments": wireArguments(c.Args)}})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	return map[string]any{"id": "chatcmpl-script", "object": "chat.completion", "created": 0, "model": a.Model, "usage": wireUsage(a.Usage),
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": wireFinish(a.Finish)}}}
}

// stream sends an answer in small pieces, the calls' arguments interleaved.
func stream(w http.ResponseWriter, in *chatRequest, a *model.Answer) {
	out := newEvents(w)
	out.send(piece(map[string]any{"role": "assistant", "content": ""}, ""))
	for _, s := range split(a.Reasoning) {
		out.send(piece(map[string]any{"reasoning_content": s}, ""))
	}
	for _, s := range split(a.Text) {
		out.send(piece(map[string]any{"content": s}, ""))
	}
	rest := make([][]string, len(a.Calls))
	for i := range a.Calls {
		rest[i] = split(wireArguments(a.Calls[i].Args))
		out.send(piece(map[string]any{"tool_calls": []any{map[string]any{"index": i, "id": providerID(i), "type": "function",
			"function": map[string]any{"name": a.Calls[i].Name, "arguments": ""}}}}, ""))
	}
	for more := true; more; {
		more = false
		for i := range rest {
			if len(rest[i]) == 0 {
				continue
			}
			out.send(piece(map[string]any{"tool_calls": []any{map[string]any{"index": i,
				"function": map[string]any{"arguments": rest[i][0]}}}}, ""))
			rest[i], more = rest[i][1:], true
		}
	}
	out.send(piece(map[string]any{}, wireFinish(a.Finish)))
	if in.Options.IncludeUsage {
		out.send(map[string]any{"id": "chatcmpl-script", "object": "chat.completion.chunk", "choices": []any{}, "usage": wireUsage(a.Usage)})
	}
	out.raw("[DONE]")
}

func piece(delta map[string]any, finish string) any {
	choice := map[string]any{"index": 0, "delta": delta, "finish_reason": nil}
	if finish != "" {
		choice["finish_reason"] = finish
	}
	return map[string]any{"id": "chatcmpl-script", "object": "chat.completion.chunk", "created": 0, "model": "script", "choices": []any{choice}}
}

// events writes server-sent events.
type events struct {
	w http.ResponseWriter
}

func newEvents(w http.ResponseWriter) events {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	return events{w}
}

func (e events) send(v any) { e.raw(string(encode(v))) }

func (e events) raw(data string) {
	_, _ = fmt.Fprintf(e.w, "data: %s\n\n", data)
	if f, ok := e.w.(http.Flusher); ok {
		f.Flush()
	}
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // only values of this file are encoded
	}
	return b
}

// split cuts a text into pieces of a few characters.
func split(s string) []string {
	const size = 12
	var out []string
	runes := []rune(s)
	for len(runes) > 0 {
		n := min(size, len(runes))
		out = append(out, string(runes[:n]))
		runes = runes[n:]
	}
	return out
}

func providerID(i int) string { return fmt.Sprintf("call_script_%d", i) }

func wireArguments(raw json.RawMessage) string {
	var s string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

func wireFinish(f model.Finish) string {
	if f == model.FinishCalls {
		return "tool_calls"
	}
	return strings.TrimPrefix(string(f), "unknown:")
}

func wireUsage(u journal.Usage) any {
	number := func(n *int64) int64 {
		if n == nil {
			return 0
		}
		return *n
	}
	in, out := number(u.Input), number(u.Output)
	return map[string]any{"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out}
}
