package fault

import (
	"errors"
	"fmt"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestErrorText(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		err  *Error
		want string
	}{
		"alone":                   {New("a.b", "gone"), "gone [a.b]"},
		"only a code":             {&Error{Code: "a.b"}, "a.b"},
		"whole":                   {New("a.b", "gone").With("read", "x"), "read: x: gone [a.b]"},
		"cause":                   {Wrap(errors.New("why"), "a.b", "gone"), "gone: why [a.b]"},
		"cause of another code":   {Wrap(New("c.d", "why"), "a.b", "gone"), "gone: why [c.d] [a.b]"},
		"cause of the same code":  {Wrap(New("a.b", "why"), "a.b", "gone"), "gone: why [a.b]"},
		"three of the same code":  {Wrap(Wrap(New("a.b", "why"), "a.b", "gone"), "a.b", "lost"), "lost: gone: why [a.b]"},
		"the same below a plain":  {Wrap(fmt.Errorf("model default: %w", New("a.b", "why")), "a.b", "gone"), "gone: model default: why [a.b]"},
		"a cause of only a code":  {Wrap(&Error{Code: "a.b"}, "a.b", "gone"), "gone: a.b [a.b]"},
		"nothing but the cause":   {&Error{Code: "a.b", Cause: New("a.b", "why")}, "why [a.b]"},
		"a code that only begins": {Wrap(New("a.bc", "why"), "a.b", "gone"), "gone: why [a.bc] [a.b]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := row.err.Error(); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}
