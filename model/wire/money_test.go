package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/model/wire"
)

func TestMoney(t *testing.T) {
	t.Parallel()
	const absent = -1
	for text, want := range map[string]int64{
		`0`: 0, `0.25`: 250_000_000, `0.000143`: 143_000, `1.43e-05`: 14_300, `1E2`: 100_000_000_000, `0.0000000004`: 0, `0.0000000005`: 1,
		`0.1`: 100_000_000, `1e-999999999`: 0, `1000000`: 1_000_000_000_000_000,
		`-1`: absent, `1e999999999`: absent, `1000001`: absent, `null`: absent, `"0.25"`: absent, `{}`: absent, `true`: absent,
		`0.00000000000000000000000000000000000000000000000000000000000000000000001`: absent,
	} {
		var in struct{ Cost wire.Money }
		if err := json.Unmarshal([]byte(`{"cost":`+text+`}`), &in); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := in.Cost.N; (got == nil) != (want == absent) || got != nil && *got != want {
			t.Errorf("%s: got %v, want %d", text, got, want)
		}
	}
}
