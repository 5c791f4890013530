package workspace

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestManifestEmpty(t *testing.T) {
	t.Parallel()
	var m *Manifest
	if _, ok := m.Get("a"); ok || m.Len() != 0 || m.Bytes() != 0 {
		t.Error("a nil manifest is not empty")
	}
	for p := range m.All() {
		t.Errorf("a nil manifest has %s", p)
	}
	if m.hasDir("") || m.With("x", nil).Len() != 0 {
		t.Error("an empty manifest has files")
	}
}

// A manifest does what a map does, and keeps its earlier versions.
func TestManifestIsAMap(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	model := map[string]Entry{}
	var m, old *Manifest
	var oldModel map[string]Entry
	for step := range 6000 {
		if step == 3000 {
			old, oldModel = m, maps.Clone(model)
		}
		p := fmt.Sprintf("d%d/f%d", rnd.IntN(40), rnd.IntN(60))
		c := Change{Path: p, New: fmt.Sprint(step), Size: rnd.IntN(100)}
		if step > 3000 && rnd.IntN(3) > 0 {
			c.New = ""
			delete(model, p)
		} else {
			model[p] = Entry{Hash: c.New, Size: c.Size, By: "a"}
		}
		m = m.With("a", []Change{c})
	}
	for _, v := range []struct {
		m     *Manifest
		model map[string]Entry
	}{{m, model}, {old, oldModel}} {
		want := slices.Sorted(maps.Keys(v.model))
		var got []string
		var bytes int64
		for p, e := range v.m.All() {
			got = append(got, p)
			bytes += int64(e.Size)
			if found, ok := v.m.Get(p); !ok || found != v.model[p] || e != found {
				t.Fatalf("Get(%s) = %v, %v, want %v", p, found, ok, v.model[p])
			}
		}
		if !slices.Equal(got, want) || v.m.Len() != len(want) || v.m.Bytes() != bytes {
			t.Fatalf("%d files, want %d; Len %d, Bytes %d, want %d", len(got), len(want), v.m.Len(), v.m.Bytes(), bytes)
		}
		n := 0
		for range v.m.under("d7") {
			n++
		}
		for _, p := range want {
			if below(p, "d7") {
				n--
			}
		}
		if n != 0 || v.m.hasDir("d7") == !slices.ContainsFunc(want, func(p string) bool { return below(p, "d7") }) || v.m.hasDir("nowhere") {
			t.Error("under or hasDir is wrong")
		}
	}
}

func TestManifestCheck(t *testing.T) {
	t.Parallel()
	m := (*Manifest)(nil).With("a", []Change{{Path: "output/a", New: "1"}})
	for name, row := range map[string]struct {
		c    Change
		code string
	}{
		"unchanged":       {Change{Path: "output/a", Old: "1", New: "2"}, ""},
		"changed":         {Change{Path: "output/a", Old: "0", New: "2"}, "workspace.write_stale_file"},
		"still absent":    {Change{Path: "output/b", New: "2"}, ""},
		"created by then": {Change{Path: "output/a", New: "2"}, "workspace.write_stale_file"},
		"gone":            {Change{Path: "output/b", Old: "1"}, "workspace.write_stale_file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantCode(t, m.Check(row.c), row.code)
		})
	}
}
