package near

import (
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestDistance(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxCompared)
	for _, row := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "ab", 2}, {"ab", "", 2}, {"keys", "keys", 0}, {"kyes", "keys", 2}, {"kes", "keys", 1}, {"äb", "ab", 1}, {long + "a", long + "b", 0},
	} {
		if got := Distance(row.a, row.b); got != row.want {
			t.Errorf("%q and %q: %d, want %d", row.a, row.b, got, row.want)
		}
	}
}

func TestOne(t *testing.T) {
	t.Parallel()
	names := []string{"content", "keys", "kegs"}
	for name, want := range map[string]string{"kyes": "keys", "kegs": "kegs", "contnt": "content"} {
		if got := One(name, names); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if One("x", nil) != "" {
		t.Error("there is no name")
	}
}
