package secret

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

func TestError(t *testing.T) {
	t.Parallel()
	s := known()
	plain := errors.New("nothing to hide")
	if s.Error(plain) != plain || s.Error(nil) != nil || (Set{}).Error(errors.New(key)).Error() != key {
		t.Error("an error without a value was changed")
	}
	typed := fault.Wrap(fmt.Errorf("open %s: %w", key, fs.ErrNotExist), "config.key_file", "the file %s is not there", key).With("read", key)
	for name, err := range map[string]error{
		"typed":   typed,
		"wrapped": fmt.Errorf("start: %w", typed),
		"joined":  errors.Join(errors.New("one"), typed),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := s.Error(err)
			var f *fault.Error
			if !errors.As(got, &f) || f.Code != "config.key_file" || fault.Code(got) != "config.key_file" {
				t.Errorf("the code is lost: %v", got)
			}
			if !errors.Is(got, fs.ErrNotExist) {
				t.Errorf("what it is, is lost: %v", got)
			}
			text := fmt.Sprintf("%v %+v %s %v", got, got, f, f)
			if strings.Contains(text, key) || !strings.Contains(text, "{{secret:KEY}}") {
				t.Errorf("it says %s", text)
			}
		})
	}
	late := s.Error(fmt.Errorf("asking with %s: %w", key, context.DeadlineExceeded))
	if !errors.Is(late, context.DeadlineExceeded) || fault.Code(late) != "" {
		t.Errorf("got %v", late)
	}
}
