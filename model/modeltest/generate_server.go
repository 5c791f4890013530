package modeltest

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/scripted"
)

// GenerateServer speaks the generateContent form from a script, streamed or not. As with
// [ChatServer] the model of a request, which stands in its path, names the agent, and a
// request that [ValidateGenerate] finds wrong is answered with a 400. Each answer is signed,
// and its signatures have to come back as they were sent, or as the placeholder.
type GenerateServer struct{ desk }

var _ http.Handler = (*GenerateServer)(nil)

// Generate makes a server of a script. Which step answers is found from the request alone.
func Generate(s *scripted.Script, opt scripted.Options) *GenerateServer {
	return &GenerateServer{newDesk(s, opt)}
}

// ServeHTTP implements [http.Handler].
func (s *GenerateServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, asked, _ := strings.Cut(r.URL.Path, "/models/")
	name, method, _ := strings.Cut(asked, ":")
	streams := method == "streamGenerateContent" && r.URL.Query().Get("alt") == "sse"
	if r.Method != http.MethodPost || name == "" || !streams && method != "generateContent" {
		generateFault(w, http.StatusNotFound, "NOT_FOUND", "only POST …/models/{model}:generateContent and :streamGenerateContent?alt=sse are served", 0)
		return
	}
	body, err := s.take(r)
	if err != nil {
		generateFault(w, http.StatusBadRequest, "INVALID_ARGUMENT", err.Error(), 0)
		return
	}
	req, err := s.read(name, body)
	if err != nil {
		generateFault(w, http.StatusBadRequest, "INVALID_ARGUMENT", err.Error(), 0)
		return
	}
	signature := stepSignature(s.provider.Step(req))
	a, shown, err := s.answer(r.Context(), body, req)
	if err != nil {
		failGenerate(w, streams, err, shown)
		return
	}
	if streams {
		streamGenerate(newEvents(w), a, signature)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(encode(wholeGenerate(a, signature)))
}

// failGenerate answers as a server does for the error of the script.
func failGenerate(w http.ResponseWriter, streams bool, err error, shown string) {
	var e *model.Error
	if !errors.As(err, &e) {
		generateFault(w, http.StatusInternalServerError, "INTERNAL", err.Error(), 0)
		return
	}
	name, status := "INVALID_ARGUMENT", http.StatusBadRequest
	switch e.Class {
	case model.ClassRate:
		name, status = "RESOURCE_EXHAUSTED", http.StatusTooManyRequests
	case model.ClassOverload:
		name, status = "UNAVAILABLE", http.StatusServiceUnavailable
	case model.ClassTransient:
		name, status = "INTERNAL", http.StatusInternalServerError
	}
	text := strings.TrimPrefix(e.Code, "model.") + ": " + e.Detail
	switch {
	case e.Status != 0:
		generateFault(w, e.Status, name, text, e.RetryAfter.Seconds())
	case e.Code == "model.stream_incomplete":
		if streams {
			newEvents(w).send(generatePiece([]any{map[string]any{"text": shown}}, "", nil))
		}
		panic(http.ErrAbortHandler) // cuts the connection
	case e.Retried() && streams: // inside a success
		newEvents(w).send(generateError(status, name, text, e.RetryAfter.Seconds()))
	case e.Retried():
		_, _ = w.Write(encode([]any{generateError(status, name, text, e.RetryAfter.Seconds())}))
	default:
		generateFault(w, status, name, text, 0)
	}
}

func generateError(status int, name, message string, seconds float64) any {
	said := map[string]any{"code": status, "status": name, "message": message}
	if seconds > 0 {
		said["details"] = []any{map[string]any{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": fmt.Sprintf("%gs", seconds)}}
	}
	return map[string]any{"error": said}
}

func generateFault(w http.ResponseWriter, status int, name, message string, seconds float64) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(encode(generateError(status, name, message, seconds)))
}

// stepSignature is what the answer of a step of the script is signed with.
func stepSignature(step int) string {
	return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "answered by step %d", step))
}

type generateRequest struct {
	System struct{ Parts []generatePart } `json:"systemInstruction"`
	Tools  []struct {
		Declarations []struct {
			Name, Description string
			Schema            json.RawMessage `json:"parametersJsonSchema"`
			Parameters        json.RawMessage `json:"parameters"`
		} `json:"functionDeclarations"`
	}
	Contents []struct {
		Role  string
		Parts []generatePart
	}
}

type generatePart struct {
	Text      string
	Inline    *struct{ MimeType, Data string } `json:"inlineData"`
	Signature string                           `json:"thoughtSignature"`
	Call      *struct {
		Name string
		Args json.RawMessage
	} `json:"functionCall"`
	Response *struct {
		Name     string
		Response struct{ Output, Error string }
	} `json:"functionResponse"`
}

// read makes the request that the script is asked with.
func (s *GenerateServer) read(name string, body []byte) (*model.Request, error) {
	if faults := ValidateGenerate(body); faults != nil {
		return nil, errors.New(faults[0].String())
	}
	var in generateRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	req := &model.Request{Model: name, Agent: name}
	for _, p := range in.System.Parts {
		req.System += p.Text
	}
	for _, t := range in.Tools {
		for _, d := range t.Declarations {
			schema := d.Schema
			if schema == nil {
				schema = d.Parameters
			}
			if schema == nil {
				schema = json.RawMessage(`{"type":"object"}`)
			}
			req.Tools = append(req.Tools, model.ToolDef{Name: d.Name, Description: d.Description, Schema: schema})
		}
	}
	for i, c := range in.Contents {
		if c.Role == "user" {
			generateInput(req, c.Parts)
		} else if err := s.answered(req, c.Parts); err != nil {
			return nil, fmt.Errorf("contents[%d]: %w", i, err)
		}
	}
	return req, nil
}

// answered adds an answer of the script, and refuses one whose signatures were changed.
func (s *GenerateServer) answered(req *model.Request, parts []generatePart) error {
	step := s.provider.Step(req)
	m := model.Message{Role: model.Assistant, Native: []json.RawMessage{json.RawMessage(fmt.Sprintf(`{"provider":"scripted","step":%d}`, step))}}
	for _, p := range parts {
		if p.Signature != "" && p.Signature != stepSignature(step) && p.Signature != "skip_thought_signature_validator" {
			return fmt.Errorf("the signature %q is not of this answer", p.Signature)
		}
		m.Text += p.Text
		if p.Call != nil {
			key := fmt.Sprintf("%012d%012d", len(req.Messages), len(m.Calls))
			m.Calls = append(m.Calls, model.Call{Key: key, Name: p.Call.Name, Args: string(p.Call.Args)})
		}
	}
	req.Messages = append(req.Messages, m)
	return nil
}

// generateInput adds what a content of the user brings; the validator saw to the order of
// results.
func generateInput(req *model.Request, parts []generatePart) {
	var results []model.Result
	for _, p := range parts {
		if p.Response != nil {
			call := req.Messages[len(req.Messages)-1].Calls[len(results)]
			results = append(results, model.Result{Key: call.Key, Name: call.Name, Text: p.Response.Response.Output + p.Response.Response.Error,
				IsError: p.Response.Response.Error != ""})
		}
	}
	if results != nil {
		req.Messages = append(req.Messages, model.Message{Role: model.Tool, Results: results})
	}
	for _, p := range parts {
		if p.Response != nil {
			continue
		}
		if p.Inline != nil {
			p.Text = seen(p.Inline.MimeType, p.Inline.Data)
		}
		if req.Input == "" {
			req.Input = p.Text
		}
		req.Messages = append(req.Messages, model.Message{Role: model.User, Text: p.Text})
	}
}
