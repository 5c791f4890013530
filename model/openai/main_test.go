package openai_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// provider makes a provider that ends with the test.
func provider(t testing.TB, opt openai.Options) *openai.Provider {
	t.Helper()
	p, err := openai.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func question() *model.Request {
	return &model.Request{Model: "gpt-x", Messages: []model.Message{{Role: model.User, Text: "hello"}}}
}

func off() *bool { no := false; return &no }

// unlocked makes a provider of a server, without a key.
func unlocked(t testing.TB, base string) model.Provider {
	return provider(t, openai.Options{BaseURL: base})
}
