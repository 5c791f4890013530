package wire

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
)

const (
	// maxFaultBody is how much of an error body is read; far more than any carries.
	maxFaultBody = 1 << 20
	// drainFor is how long the end of a complete stream is waited for, so that its
	// connection can be used again.
	drainFor = 50 * time.Millisecond
)

// Assembly puts one answer together, from a stream or from one body.
type Assembly interface {
	// Event takes one event and says whether it brought content.
	Event(ev model.Event) (content bool, err error)
	// Whole takes a response that is one JSON body.
	Whole(body []byte) error
	// Over says whether the server has said that the stream is over: nothing follows.
	Over() bool
	// Complete says whether all of the answer is there, although the server may say more.
	Complete() bool
	// Spent gives the usage that the server has reported so far; without Requests it has
	// reported none.
	Spent() journal.Usage
	// Answer gives the complete answer, or why it is none.
	Answer() (*model.Answer, error)
}

// Attempt sends a body once and reads the answer. Errors are [*model.Error], with the usage
// that the server had reported before the attempt failed.
func (c *Client) Attempt(ctx context.Context, name string, body []byte, asm Assembly) (*model.Answer, error) {
	t := &attempt{Client: c, asm: asm}
	t.url, t.shown = c.address(name)
	t.key, t.header = c.credentials()
	return t.run(ctx, body)
}

// ReadStream reads events that stand in a reader up to the end of their stream, with the
// limits of time of an attempt, as [Client.Attempt] does with those of a server.
func (c *Client) ReadStream(ctx context.Context, events io.Reader, asm Assembly) (*model.Answer, error) {
	w := newWatch(ctx, c.limits.Total)
	defer w.end()
	t := &attempt{Client: c, asm: asm}
	a, err := t.readStream(w, events)
	return a, t.billed(err)
}

// attempt is one request.
type attempt struct {
	*Client
	asm        Assembly
	url, shown string
	key        string // that it is sent with
	header     http.Header
}

// billed adds to the error of an attempt what it has used.
func (p *attempt) billed(err error) error {
	var e *model.Error
	if errors.As(err, &e) {
		e.Usage = p.asm.Spent()
	}
	return err
}

func (p *attempt) run(ctx context.Context, body []byte) (*model.Answer, error) {
	w := newWatch(ctx, p.limits.Total)
	defer w.end()
	resp, err := p.send(w, body)
	if err != nil {
		return nil, p.transportError(ctx, w, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, p.refusal(ctx, w, resp)
	}
	a, err := p.read(w, resp)
	if err != nil {
		if e := w.failure(ctx); e != nil {
			return nil, p.billed(e)
		}
		return nil, p.billed(p.scrub(err))
	}
	return a, nil
}

func (p *attempt) send(w *watch, body []byte) (*http.Response, error) {
	first := func() { w.begin("first_token", p.limits.FirstToken) }
	if !p.stream { // the whole answer comes at once: only the total says when it is late
		first = func() { w.begin("total", p.limits.Total) }
	}
	trace := &httptrace.ClientTrace{
		GotConn:      func(httptrace.GotConnInfo) { first() },
		WroteRequest: func(httptrace.WroteRequestInfo) { first() },
	}
	req, err := http.NewRequestWithContext(httptrace.WithClientTrace(w.ctx, trace), http.MethodPost, p.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header = p.header.Clone()
	if p.stream {
		req.Header.Set("Accept", "text/event-stream, application/json")
	} else {
		req.Header.Set("Accept", "application/json")
	}
	w.begin("connect", p.limits.Connect)
	return p.client.Do(req)
}

// transportError is the error of an attempt without any response.
func (p *attempt) transportError(ctx context.Context, w *watch, err error) error {
	if e := w.failure(ctx); e != nil {
		return e
	}
	var own *model.Error
	if errors.As(err, &own) { // of a transport that knows better
		e := *own
		return p.scrub(&e)
	}
	text := err.Error()
	var ue *url.Error
	if errors.As(err, &ue) { // leaves out the URL, whose query may be private
		text = ue.Err.Error()
	}
	detail := p.shown + ": " + model.Clip(text, 300)
	var unknown *net.DNSError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		detail += fmt.Sprintf("; nothing listens at %s: start the server, or check base_url", p.host)
	case errors.As(err, &unknown):
		detail += fmt.Sprintf("; the address of %s is not known: check base_url, or the network", p.host)
	}
	return p.scrub(&model.Error{Class: model.ClassTransient, Code: "model.connection", Detail: detail, Cause: err})
}

// refusal is the error of a response that is not a 200.
func (p *attempt) refusal(ctx context.Context, w *watch, resp *http.Response) error {
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		to := resp.Header.Get("Location")
		if u, err := resp.Request.URL.Parse(to); err == nil {
			to = u.Host
		}
		return &model.Error{Class: model.ClassPermanent, Code: "model.redirect_refused", Status: resp.StatusCode, Detail: fmt.Sprintf(
			"%s redirects to %s with status %d; requests are not sent on: set base_url to the server that answers", p.host, model.Clip(to, 200), resp.StatusCode)}
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxFaultBody))
	if err != nil {
		if e := w.failure(ctx); e != nil {
			return e
		}
	}
	e := model.Classify(model.Reply{Status: resp.StatusCode, Header: resp.Header, Body: body, Now: p.now()})
	p.renew(e)
	return p.scrub(p.asked(e))
}

// asked adds to a refusal what was asked, and what a 404 often means.
func (p *attempt) asked(err error) error {
	var e *model.Error
	if !errors.As(err, &e) {
		return err
	}
	detail := "asked " + p.shown
	if e.Code == "model.http_404" {
		detail += "; base_url is the address with its version part, such as /v1"
	}
	if e.Detail != "" {
		detail = e.Detail + "; " + detail
	}
	e.Detail = detail
	return e
}

// scrub keeps the key out of an error's text, but for one so short that it would be found
// within words.
func (p *attempt) scrub(err error) error {
	const leastKey = 8
	var e *model.Error
	if errors.As(err, &e) && len(p.key) >= leastKey {
		e.Detail = strings.ReplaceAll(e.Detail, p.key, "«key»")
	}
	return err
}

// read reads a 200: a stream, or one JSON body, whichever was asked for.
func (p *attempt) read(w *watch, resp *http.Response) (*model.Answer, error) {
	body := bufio.NewReader(resp.Body)
	switch first, err := firstByte(body); {
	case err != nil:
		return nil, Incomplete("the response is empty", err)
	case first == '{' || first == '[':
		w.begin("total", p.limits.Total)
		return p.readWhole(body)
	case strings.Contains(resp.Header.Get("Content-Type"), "event-stream"), looksLikeEvents(body):
		return p.readStream(w, body)
	}
	head, _ := io.ReadAll(io.LimitReader(body, 2048))
	return nil, Invalid("neither a stream nor JSON: "+model.Clip(string(head), 200), nil)
}

// firstByte gives the first byte that is not white space, without taking it.
func firstByte(r *bufio.Reader) (byte, error) {
	for {
		b, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		if b > ' ' {
			return b, r.UnreadByte()
		}
	}
}

// looksLikeEvents says whether a body without the right content type begins as a stream.
func looksLikeEvents(r *bufio.Reader) bool {
	for _, start := range []string{":", "data:", "event:", "id:", "retry:"} {
		if b, err := r.Peek(len(start)); err == nil && string(b) == start {
			return true
		}
	}
	return false
}

// readWhole reads a response that is one JSON body.
func (p *attempt) readWhole(body io.Reader) (*model.Answer, error) {
	data, err := io.ReadAll(io.LimitReader(body, model.MaxBody+1))
	switch {
	case len(data) > model.MaxBody:
		return nil, TooLarge(fmt.Sprintf("the body is above %d bytes", model.MaxBody))
	case err != nil:
		return nil, Incomplete("the body broke off", err)
	}
	if err := p.asm.Whole(data); err != nil {
		return nil, err
	}
	return p.asm.Answer()
}

// readStream reads events up to the end of the stream.
func (p *attempt) readStream(w *watch, body io.Reader) (*model.Answer, error) {
	begun := false
	sse := model.NewSSE(body, func() {
		if begun {
			w.again(false, p.limits.Between)
		}
	})
	for !p.asm.Over() {
		ev, err := sse.Next()
		switch {
		case errors.Is(err, model.ErrTooLarge):
			return nil, TooLarge(err.Error())
		case err != nil && w.ctx.Err() == nil && p.asm.Complete(): // all of it is here
			return p.asm.Answer()
		case err == io.EOF:
			return nil, Incomplete("the stream ended without a finish reason", nil)
		case err != nil:
			return nil, Incomplete("the stream broke off", err)
		}
		content, err := p.asm.Event(ev)
		if err != nil {
			return nil, err
		}
		switch {
		case content && !begun:
			begun = true
			w.begin("between_tokens", p.limits.Between)
			w.beginContent(p.limits.Content)
		case content:
			w.again(true, p.limits.Content)
		}
	}
	a, err := p.asm.Answer()
	if err == nil {
		w.begin("drain", drainFor)
		_, _ = io.CopyN(io.Discard, body, 4096) // its outcome does not matter
	}
	return a, err
}
