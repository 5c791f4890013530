package wire_test

import (
	"encoding/json"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// words is an assembly of the test: each event is {"text":…} or {"used":n} or {"end":true}.
type words struct {
	text string
	used journal.Usage
	end  bool
}

var _ wire.Assembly = (*words)(nil)

func (w *words) take(data []byte) error {
	var in struct {
		Text string
		Used *int64
		End  bool
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return wire.Invalid("no word", err)
	}
	if in.Used != nil {
		w.used = journal.Usage{Requests: 1, Input: in.Used}
	}
	w.text, w.end = w.text+in.Text, w.end || in.End
	return nil
}

func (w *words) Event(ev model.Event) (bool, error) { return true, w.take(ev.Data) }
func (w *words) Whole(body []byte) error            { return w.take(body) }
func (w *words) Over() bool                         { return w.end }
func (w *words) Complete() bool                     { return w.end }
func (w *words) Spent() journal.Usage               { return w.used }
func (w *words) Answer() (*model.Answer, error) {
	if !w.end {
		return nil, wire.Incomplete("it has no end", nil)
	}
	return &model.Answer{Text: w.text, Usage: w.used}, nil
}

// client makes a client of a server without a stream.
func client(t *testing.T, o wire.Options) *wire.Client {
	t.Helper()
	o.Provider, o.Endpoint = "test", "/ask"
	c, err := wire.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
