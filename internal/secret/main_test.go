package secret

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Values of the tests.
const (
	key     = "sk-test-4f9a81c2e7d05b36"
	odd     = `p"a\s/s+w=r&d <x> é`
	longer  = key + "-and-more"
	numeric = "8812345678"
)

func known() Set {
	return New(map[string]string{"KEY": key, "ODD": odd, "NUMERIC": numeric})
}
