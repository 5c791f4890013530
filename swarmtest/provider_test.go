package swarmtest_test

import (
	"context"
	"net/http/httptest"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/modeltest"
	"github.com/seed-cf6d8d1b/swarm/model/openai"
	"github.com/seed-cf6d8d1b/swarm/model/scripted"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
)

const script = `
version: 1
agents:
  "*":
    - {when: {any: true}, times: any, text: Hello., calls: [{read: {path: b.txt}}]}
`

// The providers of this program keep the contract that others are held to.
func TestProvider(t *testing.T) {
	t.Parallel()
	s, err := scripted.Load([]byte(script), "script")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name string
		open func(t *testing.T) model.Provider
	}{
		{"script of values", func(*testing.T) model.Provider {
			return swarmtest.Script{"root": {swarmtest.Do(swarmtest.Call("read", `{"path":"b.txt"}`)), swarmtest.Say("hello")}}
		}},
		{"one that fails", func(*testing.T) model.Provider {
			return model.Func(func(context.Context, *model.Request, func(model.Delta)) (*model.Answer, error) {
				return nil, &model.Error{Class: model.ClassOverload, Code: "model.http_503", Detail: "busy"}
			})
		}},
		{"scripted", func(*testing.T) model.Provider { return scripted.New(s, scripted.Options{}) }},
		{"openai", func(t *testing.T) model.Provider {
			srv := httptest.NewServer(modeltest.Server(s, scripted.Options{}))
			t.Cleanup(srv.Close)
			p, err := openai.New(openai.Options{BaseURL: srv.URL + "/v1", Auth: "none"})
			if err != nil {
				t.Fatal(err)
			}
			return p
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			swarmtest.Provider(t, "root", row.open)
		})
	}
}
