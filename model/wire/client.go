package wire

import (
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

// Options of a client. Provider and Default are of the provider, the rest is the user's.
type Options struct {
	Provider string // for messages, such as "openai"
	Default  string // address of the service, for an empty BaseURL
	Endpoint string // path below the base URL that is asked, such as "/chat/completions"
	// Endpoints, when set, gives the path and query of each request instead, by its model.
	// It needs Endpoint too, which a BaseURL must not end in.
	Endpoints func(model string) string
	KeyHeader string // where the key goes without Auth; "": "Authorization: Bearer KEY"

	BaseURL string            // with the version part; its path and query are kept
	APIKey  string            // only ever sent in a header
	Headers map[string]string // sent with every request, before the key's
	Auth    string            // "": as KeyHeader says; bearer, header:<name>, none
	Stream  bool              // ask for a stream
	HTTP    *http.Client      // nil: a transport of its own; its redirects are refused either way
	Proxy   string            // http, https or socks5 URL that the transport of its own goes through; "": none
	// Renew reads the key again when the server has refused it with a 401; nil: the key is
	// what it is. It is called once for each key that is refused.
	Renew    func() (string, error)
	Timeouts Timeouts
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

// Client asks one server. It is safe for concurrent use.
type Client struct {
	base      *url.URL
	endpoint  string
	endpoints func(model string) string
	host      string
	client    *http.Client
	own       *http.Transport // to close; nil when the client was given
	stream    bool
	limits    Timeouts
	warn      func(kind, detail string)
	now       func() time.Time

	mu     sync.Mutex
	warned map[string]bool

	keys // guards itself
}

// New makes a client; it asks nothing yet. Errors have code "model.config_invalid".
func New(opt Options) (*Client, error) {
	bad := func(format string, args ...any) (*Client, error) {
		return nil, fault.New("model.config_invalid", format, args...).With("configure model", opt.Provider)
	}
	base := opt.BaseURL
	if base == "" {
		base = opt.Default
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return bad("base_url %q is no http or https URL", base)
	}
	if u.User != nil {
		return bad("base_url holds credentials; keys go into api_key")
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	if strings.HasSuffix(u.Path, opt.Endpoint) {
		return bad("base_url %s%s ends in %s, which is added by itself: leave that out", u.Host, u.Path, opt.Endpoint)
	}
	u.RawPath, u.Fragment = "", ""
	c := &Client{base: u, endpoint: opt.Endpoint, endpoints: opt.Endpoints, host: u.Host, stream: opt.Stream,
		limits: opt.Timeouts.withDefaults(), warn: opt.Warn, now: opt.Now, warned: make(map[string]bool)}
	if c.now == nil {
		c.now = time.Now
	}
	header, err := headers(&opt)
	if err != nil {
		return bad("%v", err)
	}
	c.keys = keys{opt: opt, key: opt.APIKey, header: header}
	proxy, err := ParseProxy(opt.Proxy)
	if err != nil {
		return bad("%v", err)
	}
	c.client = c.newClient(opt.HTTP, proxy)
	return c, nil
}

// Endpoint names where the client asks: host and path of its base URL.
func (c *Client) Endpoint() string { return c.host + c.base.Path }

// Stream says whether streams are asked for.
func (c *Client) Stream() bool { return c.stream }

// address gives the URL that a model is asked at, and its form for messages, without a
// query, which may hold a key.
func (c *Client) address(model string) (to, shown string) {
	u := *c.base
	path, query := c.endpoint, ""
	if c.endpoints != nil {
		path, query, _ = strings.Cut(c.endpoints(model), "?")
	}
	u.Path += path
	switch {
	case query == "":
	case u.RawQuery == "":
		u.RawQuery = query
	default:
		u.RawQuery += "&" + query
	}
	to = u.String()
	u.RawQuery = ""
	return to, u.String()
}

// headers builds what is sent with every request.
func headers(opt *Options) (http.Header, error) {
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
	auth := opt.Auth
	if auth == "" && opt.KeyHeader != "" {
		auth = "header:" + opt.KeyHeader
	}
	name, isHeader := strings.CutPrefix(auth, "header:")
	switch {
	case auth == "none":
	case auth == "" || auth == "bearer":
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

// newClient makes a client that follows no redirect, over the given one's transport or a
// new one.
func (c *Client) newClient(given *http.Client, proxy *url.URL) *http.Client {
	var out http.Client
	if given != nil {
		out = *given
	} else {
		c.own = NewTransport(c.limits)
		c.own.Proxy = http.ProxyURL(proxy)
		out.Transport = c.own
	}
	out.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &out
}

// NewTransport makes the transport that a client has when it is given none, for those that
// put something in between. Its maker closes its idle connections.
func NewTransport(t Timeouts) *http.Transport {
	t = t.withDefaults()
	return &http.Transport{
		DialContext:         (&net.Dialer{Timeout: t.Connect, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout: t.Connect,
		ForceAttemptHTTP2:   true,
		MaxIdleConns:        256,
		MaxIdleConnsPerHost: 64, // many invocations ask one host
		IdleConnTimeout:     90 * time.Second,
		DisableCompression:  true, // a compressed stream comes in lumps
	}
}

// Close gives idle connections of the client's own transport back.
func (c *Client) Close() {
	if c.own != nil {
		c.own.CloseIdleConnections()
	}
}

// LessSchema reports that the parameters of a tool are sent with less than their schema
// says, and what is missing.
func (c *Client) LessSchema(tool string, notes []string) {
	c.Notice("schema:"+tool, "the parameters of "+tool+" are sent with less than their schema says: "+model.Clip(strings.Join(notes, "; "), 300))
}

// Notice reports a kind of deviation once.
func (c *Client) Notice(kind, detail string) {
	if c.warn == nil {
		return
	}
	c.mu.Lock()
	seen := c.warned[kind] || len(c.warned) >= 100
	c.warned[kind] = true
	c.mu.Unlock()
	if !seen {
		c.warn(kind, detail)
	}
}
