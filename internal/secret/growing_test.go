package secret

import (
	"sync"
	"testing"
)

// A set that grows masks what has come in, also in copies that were made before.
func TestGrowing(t *testing.T) {
	t.Parallel()
	var g Growing
	s := g.Set()
	const text = "first-value-1 second-value-2"
	if !s.Empty() || s.Mask(text) != text || s.Unseen() != nil {
		t.Errorf("an empty one says %q", s.Mask(text))
	}
	g.Add(New(map[string]string{"KEY": "first-value-1"}))
	if got := s.Mask(text); got != "{{secret:KEY}} second-value-2" {
		t.Errorf("with one value: %q", got)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			g.Add(New(map[string]string{"KEY": "second-value-2"}))
			_ = s.Mask(text)
		})
	}
	group.Wait()
	for name, set := range map[string]Set{"it": s, "another one": g.Set(), "with others": New(map[string]string{"X": "third-value-3"}).With(s)} {
		if got := set.Mask(text); got != "{{secret:KEY}} {{secret:KEY.2}}" || set.Empty() {
			t.Errorf("%s with both values: %q", name, got)
		}
	}
}
