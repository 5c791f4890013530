package modeltest

import (
	"context"
	"crypto/sha256"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/scripted"
)

// desk is what the servers of all wire forms have: the script that answers, and what was
// asked. Which attempt a request is follows from its bytes, as a retry sends the same ones.
type desk struct {
	provider *scripted.Provider

	mu       sync.Mutex
	requests [][]byte
	failures map[[sha256.Size]byte]int // by body: attempts that the script let fail
}

func newDesk(s *scripted.Script, opt scripted.Options) desk {
	return desk{provider: scripted.New(s, opt), failures: make(map[[sha256.Size]byte]int)}
}

// Requests gives the bodies of all requests so far.
func (d *desk) Requests() [][]byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([][]byte(nil), d.requests...)
}

// take reads and keeps the body of a request.
func (d *desk) take(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRequest))
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.requests = append(d.requests, body)
	return body, nil
}

// answer asks the script for the answer to a body that means req. With an error, shown is
// what the script had streamed before.
func (d *desk) answer(ctx context.Context, body []byte, req *model.Request) (a *model.Answer, shown string, err error) {
	sum := sha256.Sum256(body)
	d.mu.Lock()
	req.Attempt = d.failures[sum] + 1
	d.mu.Unlock()
	var text strings.Builder
	a, err = d.provider.Answer(ctx, req, func(p model.Delta) { text.WriteString(p.Text) })
	if err != nil {
		d.mu.Lock()
		d.failures[sum]++
		d.mu.Unlock()
	}
	return a, text.String(), err
}
