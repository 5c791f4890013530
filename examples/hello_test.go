package examples

import (
	"testing"

	"github.com/seed-cf6d8d1b/swarm/config"
)

func TestHello(t *testing.T) {
	t.Parallel()
	b := setup(t)
	res, _ := b.run(b.team("hello", config.Options{}), "world")
	if res.Text != "Hello, world!\n" {
		t.Errorf("got %q", res.Text)
	}
}
