package modeltest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/scripted"
)

// MessagesServer speaks the Messages form from a script, streamed or not. As with
// [ChatServer] the model of a request names the agent, and a request that
// [ValidateMessages] finds wrong is answered with a 400. Reasoning of the script is signed
// thinking, which has to come back as it was sent.
type MessagesServer struct{ desk }

var _ http.Handler = (*MessagesServer)(nil)

// Messages makes a server of a script. Which step answers is found from the request alone.
func Messages(s *scripted.Script, opt scripted.Options) *MessagesServer {
	return &MessagesServer{newDesk(s, opt)}
}

// ServeHTTP implements [http.Handler].
func (s *MessagesServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/messages") {
		messagesFault(w, http.StatusNotFound, "not_found_error", "only POST …/messages is served")
		return
	}
	if r.Header.Get("Anthropic-Version") == "" {
		messagesFault(w, http.StatusBadRequest, "invalid_request_error", "anthropic-version: header is required")
		return
	}
	body, err := s.take(r)
	if err != nil {
		messagesFault(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	if faults := ValidateMessages(body); faults != nil {
		messagesFault(w, http.StatusBadRequest, "invalid_request_error", faults[0].String())
		return
	}
	var in messagesRequest
	if err := json.Unmarshal(body, &in); err != nil {
		messagesFault(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	req, err := s.canonical(&in)
	if err != nil {
		messagesFault(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	a, shown, err := s.answer(r.Context(), body, req)
	if err != nil {
		s.fail(w, &in, err, shown)
		return
	}
	if in.Stream {
		streamMessage(newEvents(w), a)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(encode(wholeMessage(a)))
}

// fail answers as a server does for the error of the script.
func (s *MessagesServer) fail(w http.ResponseWriter, in *messagesRequest, err error, shown string) {
	var e *model.Error
	if !errors.As(err, &e) {
		messagesFault(w, http.StatusInternalServerError, "api_error", err.Error())
		return
	}
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(e.RetryAfter.Seconds()))))
	}
	kind := strings.TrimPrefix(e.Code, "model.")
	switch {
	case e.Status != 0:
		messagesFault(w, e.Status, kind, e.Detail)
	case e.Code == "model.stream_incomplete":
		if in.Stream {
			out := newEvents(w)
			beginMessage(out, &model.Answer{})
			sendBlock(out, 0, map[string]any{"type": "text", "text": ""}, "text_delta", "text", shown)
		}
		panic(http.ErrAbortHandler) // cuts the connection
	case e.Retried() && in.Stream: // inside a success, as the service does
		newEvents(w).sendAs("error", messagesError(kind, e.Detail))
	case e.Retried():
		_, _ = w.Write(encode(messagesError(kind, e.Detail)))
	default:
		messagesFault(w, http.StatusBadRequest, kind, e.Detail)
	}
}

func messagesError(kind, message string) any {
	return map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": message}}
}

func messagesFault(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(encode(messagesError(kind, message)))
}

type messagesRequest struct {
	Model  string
	Stream bool
	System []struct{ Text string }
	Tools  []struct {
		Name, Description string
		Schema            json.RawMessage `json:"input_schema"`
	}
	Messages []struct {
		Role    string
		Content []messagesBlock
	}
}

type messagesBlock struct {
	Type, Text, ID, Name, Thinking, Signature string
	Input                                     json.RawMessage
	Content                                   chatContent
	Source                                    struct {
		Media string `json:"media_type"`
		Data  string
	}
	IsError bool `json:"is_error"`
}

// canonical makes the request that the script is asked with.
func (s *MessagesServer) canonical(in *messagesRequest) (*model.Request, error) {
	req := &model.Request{Model: in.Model, Agent: in.Model}
	for _, b := range in.System {
		req.System += b.Text
	}
	for _, t := range in.Tools {
		req.Tools = append(req.Tools, model.ToolDef{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	for i := range in.Messages {
		m := &in.Messages[i]
		if m.Role != "assistant" {
			s.said(req, m.Content)
			continue
		}
		out := model.Message{Role: model.Assistant,
			Native: []json.RawMessage{json.RawMessage(fmt.Sprintf(`{"provider":"scripted","step":%d}`, s.provider.Step(req)))}}
		for _, b := range m.Content {
			switch b.Type {
			case "text":
				out.Text += b.Text
			case "thinking":
				if b.Signature != sign(b.Thinking) {
					return nil, fmt.Errorf("messages[%d]: thinking was changed", i)
				}
			case "tool_use":
				out.Calls = append(out.Calls, model.Call{Key: strings.TrimPrefix(b.ID, "call_"), Name: b.Name, Args: string(b.Input)})
			}
		}
		req.Messages = append(req.Messages, out)
	}
	return req, nil
}

// said adds what a message of the user brings; the validator saw to the order of results.
func (s *MessagesServer) said(req *model.Request, content []messagesBlock) {
	var results []model.Result
	for _, b := range content {
		if b.Type == "tool_result" {
			call := req.Messages[len(req.Messages)-1].Calls[len(results)]
			results = append(results, model.Result{Key: call.Key, Name: call.Name, Text: string(b.Content), IsError: b.IsError})
		}
	}
	if results != nil {
		req.Messages = append(req.Messages, model.Message{Role: model.Tool, Results: results})
	}
	for _, b := range content {
		switch b.Type {
		case "text":
		case "image":
			b.Text = seen(b.Source.Media, b.Source.Data)
		default:
			continue
		}
		if req.Input == "" {
			req.Input = b.Text
		}
		req.Messages = append(req.Messages, model.Message{Role: model.User, Text: b.Text})
	}
}
