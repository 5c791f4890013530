package examples

import (
	"os"
	"testing"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/config"
)

func TestOrders(t *testing.T) {
	t.Parallel()
	b := setup(t)
	in := swarm.Input{Text: "Which customers ordered most?"}
	for _, name := range []string{"orders.csv", "customers.json"} {
		content, err := os.ReadFile("orders/" + name)
		if err != nil {
			t.Fatal(err)
		}
		in.Files = append(in.Files, swarm.InputFile{Path: name, Content: content})
	}
	res, _ := b.runs(b.team("orders", config.Options{}), in)
	want := "| customer | orders in all |\n|---|---:|\n| Carl | 129.00 |\n| Ada | 63.00 |\n| Blaise | 30.00 |\n"
	if res.Text != want {
		t.Errorf("got\n%s\nwant\n%s", res.Text, want)
	}
}
