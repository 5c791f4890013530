package gemini

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/schema"
	"github.com/seed-cf6d8d1b/swarm/model/wire"
)

const (
	providerName = "gemini"
	models       = "/models"
	keyHeader    = "x-goog-api-key"
	// DefaultBaseURL is the service that is asked when no base URL is given.
	DefaultBaseURL = "https://generativelanguage.googleapis.com/v1beta"
)

// Options of a provider. The zero value asks the default service with an empty key.
type Options struct {
	BaseURL string            // with the version part; its path and query are kept; "": DefaultBaseURL
	APIKey  string            // only ever sent in a header
	Headers map[string]string // sent with every request, before the key's
	Auth    string            // "": header x-goog-api-key; bearer, header:<name>, none
	Stream  *bool             // nil: true
	HTTP    *http.Client      // nil: a transport of its own; its redirects are refused either way
	Proxy   string            // http, https or socks5 URL that the transport of its own goes through; "": none
	// Renew reads the key again when the server has refused it with a 401; nil: the key is what it is.
	Renew     func() (string, error)
	Timeouts  Timeouts
	Reasoning string // off (also ""): nothing is asked for; low, medium, high; tokens:<n> is a budget, 0 turns thinking off
	Quirks    Quirks
	MaxOutput int                       // tokens, for requests that name none; 0: the model's
	Warn      func(kind, detail string) // called once per kind of deviation; may be nil; concurrently
	Now       func() time.Time          // to read dates of retry headers; nil: time.Now
}

// Timeouts of one attempt; a zero field has the default.
type Timeouts = wire.Timeouts

// Quirks say how a server differs from the service; they are never guessed.
type Quirks struct {
	// OpenAPISchema sends the schemas of tools as "parameters" in the subset of OpenAPI
	// that older versions read, instead of as they are in "parametersJsonSchema".
	OpenAPISchema bool
}

// Provider asks one server.
type Provider struct {
	client    *wire.Client
	endpoint  string // host and path of the base URL: whose native parts are replayed
	partHead  []byte // how the native parts of the endpoint begin
	thinking  thinking
	maxOutput int
	schemas   schema.List
	projected *memo // declarations under the quirk; nil: schemas are sent in full
}

var _ model.Provider = (*Provider)(nil)

// New makes a provider; it asks nothing yet. Errors have code "model.config_invalid".
func New(opt Options) (*Provider, error) {
	bad := func(format string, args ...any) (*Provider, error) {
		return nil, fault.New("model.config_invalid", format, args...).With("configure model", providerName)
	}
	if opt.MaxOutput < 0 {
		return bad("max_output is a number of tokens, not %d", opt.MaxOutput)
	}
	think, ok := parseReasoning(opt.Reasoning)
	if !ok {
		return bad("reasoning is off, low, medium, high or tokens:<n>, not %q", opt.Reasoning)
	}
	stream := opt.Stream == nil || *opt.Stream
	client, err := wire.New(wire.Options{Provider: providerName, Default: DefaultBaseURL, Endpoint: models, Endpoints: func(name string) string { return path(name, stream) },
		KeyHeader: keyHeader, BaseURL: opt.BaseURL, APIKey: opt.APIKey, Headers: opt.Headers, Auth: opt.Auth, Stream: stream, HTTP: opt.HTTP, Proxy: opt.Proxy, Renew: opt.Renew,
		Timeouts: opt.Timeouts, Warn: opt.Warn, Now: opt.Now})
	if err != nil {
		return nil, err
	}
	p := &Provider{client: client, endpoint: endpoint(opt.BaseURL), thinking: think, maxOutput: opt.MaxOutput}
	p.partHead = partHead(p.endpoint)
	if opt.Quirks.OpenAPISchema {
		p.projected = new(memo)
	}
	return p, nil
}

// endpoint gives host and path of a base URL, which the client has accepted.
func endpoint(base string) string {
	if base == "" {
		base = DefaultBaseURL
	}
	u, err := url.Parse(base)
	if err != nil {
		return base
	}
	return u.Host + strings.TrimSuffix(u.Path, "/")
}

// path gives what is asked below the base URL. A name may say itself of which kind it is,
// such as "tunedModels/x".
func path(name string, stream bool) string {
	to := "/" + name
	if !strings.Contains(name, "/") {
		to = models + to
	}
	if stream {
		return to + ":streamGenerateContent?alt=sse"
	}
	return to + ":generateContent"
}

// thinking is what is wished of the model's thoughts.
type thinking struct {
	level  string // LOW, MEDIUM, HIGH; "": none
	budget int    // tokens; -1: none
}

// on says whether thoughts were asked for.
func (t thinking) on() bool { return t.level != "" || t.budget > 0 }

func parseReasoning(s string) (t thinking, ok bool) {
	t.budget = -1
	switch s {
	case "", "off":
		return t, true
	case "low", "medium", "high":
		t.level = strings.ToUpper(s)
		return t, true
	}
	n, ok := strings.CutPrefix(s, "tokens:")
	if !ok {
		return t, false
	}
	budget, err := strconv.Atoi(strings.TrimSpace(n))
	t.budget = budget
	return t, err == nil && budget >= 0
}

// Close gives idle connections of the provider's own transport back.
func (p *Provider) Close() { p.client.Close() }

// Capabilities implements [model.Provider]. Windows of models are not known here.
func (p *Provider) Capabilities(string) model.Capabilities {
	return model.Capabilities{Provider: providerName, Images: imageLimits}
}

// Answer implements [model.Provider]. A name of a model that cannot stand in the path of a
// URL is a permanent error with code "model.request_invalid".
func (p *Provider) Answer(ctx context.Context, req *model.Request, preview func(model.Delta)) (*model.Answer, error) {
	if req.Model == "" || strings.ContainsAny(req.Model, "?#\\") || strings.Contains(req.Model, "..") {
		return nil, &model.Error{Class: model.ClassPermanent, Code: "model.request_invalid", Detail: "the model's name " + strconv.Quote(req.Model) +
			" cannot stand in an address: set model to a name such as gemini-x"}
	}
	if err := model.Guard(req); err != nil {
		return nil, err
	}
	pics, err := model.LoadPictures(ctx, req)
	if err != nil {
		return nil, err
	}
	return p.client.Attempt(ctx, req.Model, p.encode(req, pics), newAssembly(p, preview))
}
