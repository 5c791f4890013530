package cli

import "testing"

func TestBySender(t *testing.T) {
	t.Parallel()
	for by, want := range map[string]string{
		"user":              "by user",
		"root/critic":       "by root/critic",
		"vm/31525/726757fd": "from another process (pid 31525)",
		"root/12/zz":        "by root/12/zz",
		"root/2/ab":         "by root/2/ab",
	} {
		if got := bySender(by); got != want {
			t.Errorf("%s: %q, want %q", by, got, want)
		}
	}
}
