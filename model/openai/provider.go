package openai

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/model"
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
	BaseURL  string            // with the version part; its path and query are kept; "": DefaultBaseURL
	APIKey   string            // only ever sent in a header
	Headers  map[string]string // sent with every request, before the key's
	Auth     string            // bearer (also ""), header:<name>, none
	Stream   *bool             // nil: true
	HTTP     *http.Client      // nil: a transport of its own without proxy; its redirects are refused either way
	Timeouts Timeouts
	Quirks   Quirks
	Warn     func(kind, detail string) // called once per kind of deviation; may be nil; concurrently
	Now      func() time.Time          // to read dates of retry headers; nil: time.Now
}

// Timeouts of one attempt; a zero field has the default.
type Timeouts struct {
	Connect    time.Duration // DNS, TCP and TLS; default 10 s
	FirstToken time.Duration // from the request written to the first content; default 120 s
	Between    time.Duration // between two lines of a stream, comments too; default 60 s
	Content    time.Duration // between two pieces of content; default 300 s
	Total      time.Duration // of the attempt; default 600 s
}

// Quirks say how a server differs from the service; they are never guessed. A zero field
// has the service's way when no BaseURL is given, else the way that most servers take.
type Quirks struct {
	MaxTokensField string // max_completion_tokens (default of the service) or max_tokens (else)
	SystemRole     string // system (default), developer or user
	StreamUsage    *bool  // ask for usage in a stream; default true for the service, else false
	ParallelField  *bool  // send parallel_tool_calls with this value; nil: not sent
	ReasoningField string // "": reasoning_content or reasoning; "think": a <think> tag at the start of the text too
}

// Provider asks one server.
type Provider struct {
	url         string
	shown       string // the URL for messages, without its query
	host        string
	header      http.Header
	key         string
	client      *http.Client
	own         *http.Transport // to close; nil when the client was given
	stream      bool
	streamUsage bool
	limits      Timeouts
	quirks      Quirks
	warn        func(kind, detail string)
	now         func() time.Time

	mu     sync.Mutex
	warned map[string]bool
}

var _ model.Provider = (*Provider)(nil)

// New makes a provider; it asks nothing yet. Errors have code "model.config_invalid".
func New(opt Options) (*Provider, error) {
	bad := func(format string, args ...any) (*Provider, error) {
		return nil, fault.New("model.config_invalid", format, args...).With("configure model", providerName)
	}
	base := opt.BaseURL
	if base == "" {
		base = DefaultBaseURL
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return bad("base_url %q is no http or https URL", base)
	}
	if u.User != nil {
		return bad("base_url holds credentials; keys go into api_key")
	}
	if strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), completions) {
		return bad("base_url %s%s ends in %s, which is added by itself: leave that out", u.Host, u.Path, completions)
	}
	u.Path = strings.TrimSuffix(u.Path, "/") + completions
	u.RawPath, u.Fragment = "", ""
	shown := *u
	shown.RawQuery = "" // it may hold a key

	p := &Provider{url: u.String(), shown: shown.String(), host: u.Host, key: opt.APIKey, stream: opt.Stream == nil || *opt.Stream,
		limits: opt.Timeouts.withDefaults(), quirks: opt.Quirks, warn: opt.Warn, now: opt.Now, warned: make(map[string]bool)}
	if p.now == nil {
		p.now = time.Now
	}
	if p.header, err = headers(opt); err != nil {
		return bad("%v", err)
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
	p.client = p.newClient(opt.HTTP)
	return p, nil
}

// headers builds what is sent with every request.
func headers(opt Options) (http.Header, error) {
	h := make(http.Header)
	for name, value := range opt.Headers { // keys are a set, order does not matter
		if !validHeader(name, value) {
			return nil, fmt.Errorf("header %q is not legal", name)
		}
		h.Set(name, value)
	}
	h.Set("Content-Type", "application/json")
	if strings.ContainsAny(opt.APIKey, "\r\n\x00") {
		return nil, fmt.Errorf("api_key has a line break")
	}
	name, isHeader := strings.CutPrefix(opt.Auth, "header:")
	switch {
	case opt.Auth == "none":
	case opt.Auth == "" || opt.Auth == "bearer":
		if opt.APIKey != "" {
			h.Set("Authorization", "Bearer "+opt.APIKey)
		}
	case isHeader && validHeader(name, ""):
		if opt.APIKey != "" {
			h.Set(name, opt.APIKey)
		}
	default:
		return nil, fmt.Errorf("auth is bearer, header:<name> or none, not %q", opt.Auth)
	}
	return h, nil
}

func validHeader(name, value string) bool {
	for i := range len(name) {
		b := name[i]
		if b <= ' ' || b >= 0x7f || strings.IndexByte(`()<>@,;:\"/[]?={}`, b) >= 0 {
			return false
		}
	}
	return name != "" && !strings.ContainsAny(value, "\r\n\x00")
}

func (t Timeouts) withDefaults() Timeouts {
	for _, f := range []struct {
		d     *time.Duration
		value time.Duration
	}{
		{&t.Connect, 10 * time.Second},
		{&t.FirstToken, 120 * time.Second},
		{&t.Between, 60 * time.Second},
		{&t.Content, 300 * time.Second},
		{&t.Total, 600 * time.Second},
	} {
		if *f.d <= 0 {
			*f.d = f.value
		}
	}
	return t
}

// newClient makes a client that follows no redirect, over the given one's transport or a
// new one.
func (p *Provider) newClient(given *http.Client) *http.Client {
	var c http.Client
	if given != nil {
		c = *given
	} else {
		p.own = &http.Transport{
			DialContext:         (&net.Dialer{Timeout: p.limits.Connect, KeepAlive: 30 * time.Second}).DialContext,
			TLSHandshakeTimeout: p.limits.Connect,
			ForceAttemptHTTP2:   true,
			MaxIdleConns:        256,
			MaxIdleConnsPerHost: 64, // many invocations ask one host
			IdleConnTimeout:     90 * time.Second,
			DisableCompression:  true, // a compressed stream comes in lumps
		}
		c.Transport = p.own
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

// Close gives idle connections of the provider's own transport back.
func (p *Provider) Close() {
	if p.own != nil {
		p.own.CloseIdleConnections()
	}
}

// Capabilities implements [model.Provider]. Windows of models are not known here.
func (p *Provider) Capabilities(string) model.Capabilities {
	return model.Capabilities{Provider: providerName, MaxTools: maxTools}
}

// Answer implements [model.Provider].
func (p *Provider) Answer(ctx context.Context, req *model.Request, preview func(model.Delta)) (*model.Answer, error) {
	if err := model.Guard(req); err != nil {
		return nil, err
	}
	return p.attempt(ctx, p.encode(req), preview)
}

// notice reports a kind of deviation once.
func (p *Provider) notice(kind, detail string) {
	if p.warn == nil {
		return
	}
	p.mu.Lock()
	seen := p.warned[kind] || len(p.warned) >= 100
	p.warned[kind] = true
	p.mu.Unlock()
	if !seen {
		p.warn(kind, detail)
	}
}
