package anthropic

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/schema"
	"github.com/seed-cf6d8d1b/swarm/model/wire"
)

const (
	providerName = "anthropic"
	messagesPath = "/messages"
	// DefaultBaseURL is the service that is asked when no base URL is given.
	DefaultBaseURL = "https://api.anthropic.com/v1"
	// DefaultMaxOutput is the longest answer in tokens when neither the request nor the
	// options say one: the wire demands a number, and every model of the service takes this
	// one. A budget for thinking comes on top.
	DefaultMaxOutput = 8192
	// Version is the version of the wire form that is asked for.
	Version = "2023-06-01"
	// maxPauses is how often a paused turn is asked to go on (models spec §4).
	maxPauses = 3
)

// Options of a provider. The zero value asks the default service with an empty key.
type Options struct {
	BaseURL string            // with the version part; its path and query are kept; "": DefaultBaseURL
	APIKey  string            // only ever sent in a header
	Headers map[string]string // sent with every request, before the key's; anthropic-version here replaces Version
	Auth    string            // "": header x-api-key; bearer, header:<name>, none
	Stream  *bool             // nil: true
	HTTP    *http.Client      // nil: a transport of its own; its redirects are refused either way
	Proxy   string            // http, https or socks5 URL that the transport of its own goes through; "": none
	// Renew reads the key again when the server has refused it with a 401; nil: the key is what it is.
	Renew     func() (string, error)
	Timeouts  Timeouts
	Cache     string                    // on (also ""): marks of 5 minutes; 1h: marks of one hour; off
	Reasoning string                    // off (also ""); low, medium, high: the effort of adaptive thinking; tokens:n: a budget, at least 1024
	MaxOutput int                       // tokens, for requests that say none; 0: DefaultMaxOutput and the budget
	Warn      func(kind, detail string) // called once per kind of deviation; may be nil; concurrently
	Now       func() time.Time          // to read dates of retry headers; nil: time.Now
}

// Timeouts of one request; a zero field has the default.
type Timeouts = wire.Timeouts

// Provider asks one server.
type Provider struct {
	client    *wire.Client
	thinking  thinking
	maxOutput int
	cacheMark string // the member of a marked block; "": no marks
	partHead  []byte // how native parts of this endpoint begin
	schemas   schema.List
}

var _ model.Provider = (*Provider)(nil)

// New makes a provider; it asks nothing yet. Errors have code "model.config_invalid".
func New(opt Options) (*Provider, error) {
	bad := func(format string, args ...any) (*Provider, error) {
		return nil, fault.New("model.config_invalid", format, args...).With("configure model", providerName)
	}
	headers := maps.Clone(opt.Headers)
	if !hasHeader(headers, "anthropic-version") {
		if headers == nil {
			headers = make(map[string]string)
		}
		headers["anthropic-version"] = Version
	}
	client, err := wire.New(wire.Options{Provider: providerName, Default: DefaultBaseURL, Endpoint: messagesPath, KeyHeader: "x-api-key", BaseURL: opt.BaseURL,
		APIKey: opt.APIKey, Headers: headers, Auth: opt.Auth, Stream: opt.Stream == nil || *opt.Stream, HTTP: opt.HTTP, Proxy: opt.Proxy, Renew: opt.Renew, Timeouts: opt.Timeouts, Warn: opt.Warn, Now: opt.Now})
	if err != nil {
		return nil, err
	}
	p := &Provider{client: client, maxOutput: opt.MaxOutput, partHead: partHead(client.Endpoint())}
	if p.thinking, err = parseReasoning(opt.Reasoning); err != nil {
		return bad("%v", err)
	}
	switch {
	case opt.MaxOutput < 0:
		return bad("max_output is a number of tokens, not %d", opt.MaxOutput)
	case opt.MaxOutput == 0:
		p.maxOutput = DefaultMaxOutput + p.thinking.budget
	case p.thinking.budget >= opt.MaxOutput:
		return bad("reasoning of %d tokens is not below max_output of %d: raise max_output, which counts thinking too", p.thinking.budget, opt.MaxOutput)
	}
	switch opt.Cache {
	case "", "on":
		p.cacheMark = `,"cache_control":{"type":"ephemeral"}`
	case "1h":
		p.cacheMark = `,"cache_control":{"type":"ephemeral","ttl":"1h"}`
	case "off":
	default:
		return bad("cache is on, off or 1h, not %q", opt.Cache)
	}
	return p, nil
}

func hasHeader(headers map[string]string, name string) bool {
	for have := range headers { // a set, order does not matter
		if strings.EqualFold(have, name) {
			return true
		}
	}
	return false
}

// Close gives idle connections of the provider's own transport back.
func (p *Provider) Close() { p.client.Close() }

// Capabilities implements [model.Provider]. Windows of models are not known here, and the
// wire bounds no number of tools.
func (p *Provider) Capabilities(string) model.Capabilities {
	return model.Capabilities{Provider: providerName, Images: imageLimits}
}

// Answer implements [model.Provider]. Time limits hold for each request of a paused turn.
func (p *Provider) Answer(ctx context.Context, req *model.Request, preview func(model.Delta)) (*model.Answer, error) {
	if err := model.Guard(req); err != nil {
		return nil, err
	}
	pics, err := model.LoadPictures(ctx, req)
	if err != nil {
		return nil, err
	}
	asm := newAssembly(p, preview)
	var tail *model.Message
	for pauses := 0; ; pauses++ {
		asm.last = pauses == maxPauses
		a, err := p.client.Attempt(ctx, req.Model, p.encode(req, tail, pics), asm)
		switch {
		case err != nil:
			return nil, p.explain(req, asm, err)
		case !asm.paused():
			return a, nil
		}
		tail = asm.tail(a)
		asm.goOn()
	}
}

// explain makes of a refusal what it means on this wire: a body that is too large holds too
// much context, and thinking that is demanded was lost with a turn.
func (p *Provider) explain(req *model.Request, asm *assembly, err error) error {
	var e *model.Error
	if !errors.As(err, &e) {
		return err
	}
	e.Usage = asm.Spent() // of the requests before this one too
	switch {
	case e.Status == http.StatusRequestEntityTooLarge && e.Class == model.ClassPermanent:
		e.Class, e.Code = model.ClassOverflow, "model.context_overflow"
	case e.Code == "model.native_metadata_lost":
		e.Detail = fmt.Sprintf("%s demands the thinking of turn %d, which the history does not have: it came from another model, was masked, or was too long; set reasoning to low, medium, high or off: %s",
			providerName, p.lostTurn(req), e.Detail)
	}
	return err
}

// lostTurn gives the last turn with calls and without thinking, 0 for none.
func (p *Provider) lostTurn(req *model.Request) int {
	for i := len(req.Messages) - 1; i >= 0; i-- {
		m := &req.Messages[i]
		if m.Role == model.Assistant && len(m.Calls) > 0 && len(p.natives(nil, m)) == 0 {
			return m.Turn
		}
	}
	return 0
}
