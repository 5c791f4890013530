package workspace

import (
	"reflect"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/journal"
)

func TestReadState(t *testing.T) {
	t.Parallel()
	full := func(h string) journal.Observed { return journal.Observed{Path: "a", Hash: h, Full: true} }
	part := func(h string, s, e int) journal.Observed {
		return journal.Observed{Path: "a", Hash: h, Start: s, End: e}
	}
	failed := journal.Observed{Path: "a", Failed: true}
	for name, row := range map[string]struct {
		obs  []journal.Observed
		want FileRead
		none bool
	}{
		"full":                        {obs: []journal.Observed{full("1")}, want: FileRead{Hash: "1", Full: true}},
		"partial":                     {obs: []journal.Observed{part("1", 0, 5)}, want: FileRead{Hash: "1", Fragments: []Span{{0, 5}}}},
		"adjacent joined":             {obs: []journal.Observed{part("1", 5, 9), part("1", 0, 5)}, want: FileRead{Hash: "1", Fragments: []Span{{0, 9}}}},
		"overlapping joined":          {obs: []journal.Observed{part("1", 0, 6), part("1", 4, 9), part("1", 2, 3)}, want: FileRead{Hash: "1", Fragments: []Span{{0, 9}}}},
		"apart":                       {obs: []journal.Observed{part("1", 7, 9), part("1", 0, 5)}, want: FileRead{Hash: "1", Fragments: []Span{{0, 5}, {7, 9}}}},
		"other hash starts anew":      {obs: []journal.Observed{part("1", 0, 5), part("2", 7, 9)}, want: FileRead{Hash: "2", Fragments: []Span{{7, 9}}}},
		"partial after full":          {obs: []journal.Observed{full("1"), part("1", 0, 5)}, want: FileRead{Hash: "1", Full: true}},
		"other hash after full":       {obs: []journal.Observed{full("1"), part("2", 0, 5)}, want: FileRead{Hash: "2", Fragments: []Span{{0, 5}}}},
		"failed patch of part":        {obs: []journal.Observed{part("1", 0, 5), failed}, want: FileRead{Hash: "1", NeedsFull: true, Fragments: []Span{{0, 5}}}},
		"failed patch of full":        {obs: []journal.Observed{full("1"), failed}, want: FileRead{Hash: "1", Full: true}},
		"failed patch of unread":      {obs: []journal.Observed{failed}, none: true},
		"flag stays over a hash":      {obs: []journal.Observed{part("1", 0, 5), failed, part("2", 1, 2)}, want: FileRead{Hash: "2", NeedsFull: true, Fragments: []Span{{1, 2}}}},
		"full clears the flag":        {obs: []journal.Observed{part("1", 0, 5), failed, full("1")}, want: FileRead{Hash: "1", Full: true}},
		"nothing seen is still known": {obs: []journal.Observed{part("1", 0, 0)}, want: FileRead{Hash: "1"}},
		"other path":                  {obs: []journal.Observed{{Path: "b", Hash: "1", Full: true}}, none: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := ReadState{}.With(row.obs).Get("a")
			if len(got.Fragments) == 0 {
				got.Fragments = nil
			}
			if ok == row.none || !reflect.DeepEqual(got, row.want) {
				t.Errorf("got %+v, %v, want %+v", got, ok, row.want)
			}
		})
	}
}

// A state that was handed out does not change when more is observed.
func TestReadStateIsImmutable(t *testing.T) {
	t.Parallel()
	a := ReadState{}.With([]journal.Observed{{Path: "a", Hash: "1", Start: 0, End: 5}, {Path: "a", Hash: "1", Start: 8, End: 9}})
	a.With([]journal.Observed{{Path: "a", Hash: "1", Start: 5, End: 8}, {Path: "b", Hash: "2", Full: true}})
	got, _ := a.Get("a")
	if want := []Span{{0, 5}, {8, 9}}; !reflect.DeepEqual(got.Fragments, want) {
		t.Errorf("got %v, want %v", got.Fragments, want)
	}
	if _, ok := a.Get("b"); ok {
		t.Error("b was added")
	}
}
