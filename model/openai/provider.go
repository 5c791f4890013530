package openai

import (
	"context"
	"net/http"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/schema"
	"github.com/seed-cf6d8d1b/swarm/model/wire"
)

const (
	providerName = "openai"
	completions  = "/chat/completions"
	// DefaultBaseURL is the service that is asked when no base URL is given.
	DefaultBaseURL = "https://api.openai.com/v1"
	// maxTools is the service's bound: with more, every request is a 400.
	maxTools = 128
)

// Options of a provider. The zero value asks the default service with an empty key.
type Options struct {
	BaseURL string            // with the version part; its path and query are kept; "": DefaultBaseURL
	APIKey  string            // only ever sent in a header
	Headers map[string]string // sent with every request, before the key's
	Auth    string            // bearer (also ""), header:<name>, none
	Stream  *bool             // nil: true
	HTTP    *http.Client      // nil: a transport of its own; its redirects are refused either way
	Proxy   string            // http, https or socks5 URL that the transport of its own goes through; "": none
	// Renew reads the key again when the server has refused it with a 401; nil: the key is what it is.
	Renew    func() (string, error)
	Timeouts Timeouts
	Quirks   Quirks
	// Reasoning is the effort that is asked for: "" and off ask for none; low, medium, high.
	Reasoning string
	Warn      func(kind, detail string) // called once per kind of deviation; may be nil; concurrently
	Now       func() time.Time          // to read dates of retry headers; nil: time.Now
}

// Timeouts of one attempt; a zero field has the default.
type Timeouts = wire.Timeouts

// Quirks say how a server differs from the service; they are never guessed. A zero field
// has the service's way when no BaseURL is given, else the way that most servers take.
type Quirks struct {
	MaxTokensField  string // max_completion_tokens (default of the service) or max_tokens (else)
	SystemRole      string // system (default), developer or user
	StreamUsage     *bool  // ask for usage in a stream; default true for the service, else false
	ParallelField   *bool  // send parallel_tool_calls with this value; nil: not sent
	ReasoningField  string // "": reasoning_content or reasoning; "think": a <think> tag at the start of the text too
	CallID          string // alnum9: ids of calls have nine letters and digits; "": those of the runtime
	ReplayReasoning bool   // send reasoning back as reasoning_content with the answer that it came with
	GrammarSchema   bool   // leave out of schemas what the grammars of llama.cpp and vLLM cannot express
}

// Provider asks one server.
type Provider struct {
	client      *wire.Client
	streamUsage bool
	effort      string // "": none is asked for
	quirks      Quirks
	schemas     schema.List
}

var _ model.Provider = (*Provider)(nil)

// New makes a provider; it asks nothing yet. Errors have code "model.config_invalid".
func New(opt Options) (*Provider, error) {
	bad := func(format string, args ...any) (*Provider, error) {
		return nil, fault.New("model.config_invalid", format, args...).With("configure model", providerName)
	}
	client, err := wire.New(wire.Options{Provider: providerName, Default: DefaultBaseURL, Endpoint: completions, BaseURL: opt.BaseURL, APIKey: opt.APIKey,
		Headers: opt.Headers, Auth: opt.Auth, Stream: opt.Stream == nil || *opt.Stream, HTTP: opt.HTTP, Proxy: opt.Proxy, Renew: opt.Renew, Timeouts: opt.Timeouts, Warn: opt.Warn, Now: opt.Now})
	if err != nil {
		return nil, err
	}
	p := &Provider{client: client, quirks: opt.Quirks, schemas: schema.List{Grammar: opt.Quirks.GrammarSchema}}
	switch opt.Reasoning {
	case "", "off":
	case "low", "medium", "high":
		p.effort = opt.Reasoning
	default:
		return bad("reasoning is off, low, medium or high, not %q", opt.Reasoning)
	}
	official := opt.BaseURL == ""
	p.streamUsage = official
	if q := opt.Quirks.StreamUsage; q != nil {
		p.streamUsage = *q
	}
	switch f := &p.quirks.MaxTokensField; *f {
	case "":
		*f = "max_tokens"
		if official {
			*f = "max_completion_tokens"
		}
	case "max_tokens", "max_completion_tokens":
	default:
		return bad("quirk max_tokens_field is max_tokens or max_completion_tokens, not %q", *f)
	}
	switch f := &p.quirks.SystemRole; *f {
	case "":
		*f = "system"
	case "system", "developer", "user":
	default:
		return bad("quirk system_role is system, developer or user, not %q", *f)
	}
	if f := p.quirks.ReasoningField; f != "" && f != "think" {
		return bad("quirk reasoning_field is think or absent, not %q", f)
	}
	if f := p.quirks.CallID; f != "" && f != alnum9 {
		return bad("quirk call_id is alnum9 or absent, not %q", f)
	}
	return p, nil
}

// Close gives idle connections of the provider's own transport back.
func (p *Provider) Close() { p.client.Close() }

// Capabilities implements [model.Provider]. Windows of models are not known here.
func (p *Provider) Capabilities(string) model.Capabilities {
	return model.Capabilities{Provider: providerName, MaxTools: maxTools, Images: imageLimits}
}

// Answer implements [model.Provider].
func (p *Provider) Answer(ctx context.Context, req *model.Request, preview func(model.Delta)) (*model.Answer, error) {
	if err := model.Guard(req); err != nil {
		return nil, err
	}
	pics, err := model.LoadPictures(ctx, req)
	if err != nil {
		return nil, err
	}
	return p.client.Attempt(ctx, req.Model, p.encode(req, pics), newAssembly(p, preview))
}
