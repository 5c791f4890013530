package workspace

import (
	"slices"
	"testing"
)

func TestRoots(t *testing.T) {
	t.Parallel()
	var r Roots
	for name, row := range map[string]struct {
		path       string
		see, write bool
	}{
		"root of output":  {"output", true, false},
		"below output":    {"output/a/b", true, true},
		"input":           {"input/a", true, false},
		"skills":          {"skills/x/SKILL.md", true, false},
		"tool results":    {"tool-results/calls/root/a.txt", false, false},
		"unknown root":    {"secret/a", false, false},
		"begins the same": {"outputs/a", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r.CanSee(row.path) != row.see || r.CanWrite(row.path) != row.write {
				t.Errorf("see %v, write %v", r.CanSee(row.path), r.CanWrite(row.path))
			}
		})
	}
	if r := r.AndVisible("tool-results/calls/root"); !r.CanSee("tool-results/calls/root/a") || r.CanSee("tool-results/calls/b/a") || !r.CanWrite("output/a") {
		t.Error("AndVisible shows too little or too much")
	}
}

func TestNarrow(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		visible, writable         []string
		wantVisible, wantWritable []string
		code                      string
	}{
		"nothing":             {nil, nil, DefaultRoots().Visible, DefaultRoots().Writable, ""},
		"visible only":        {[]string{"input", "output/report"}, nil, []string{"input", "output/report"}, []string{"output/report"}, ""},
		"writable only":       {nil, []string{"output"}, DefaultRoots().Visible, []string{"output"}, ""},
		"none writable":       {nil, []string{}, DefaultRoots().Visible, []string{}, ""},
		"both":                {[]string{"output", "scratch"}, []string{"output/x"}, []string{"output", "scratch"}, []string{"output/x"}, ""},
		"widens visible":      {[]string{"secret"}, nil, nil, nil, "workspace.roots_invalid"},
		"widens writable":     {nil, []string{"input"}, nil, nil, "workspace.roots_invalid"},
		"writable not seen":   {[]string{"input"}, []string{"output"}, nil, nil, "workspace.roots_invalid"},
		"root is everything":  {[]string{"."}, nil, nil, nil, "workspace.roots_invalid"},
		"not a path":          {[]string{"../x"}, nil, nil, nil, "workspace.roots_invalid"},
		"whole root narrowed": {[]string{"output/"}, nil, []string{"output"}, []string{"output"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Roots{}.Narrow(row.visible, row.writable)
			wantCode(t, err, row.code)
			if !slices.Equal(got.Visible, row.wantVisible) || !slices.Equal(got.Writable, row.wantWritable) {
				t.Errorf("got %v", got)
			}
		})
	}
}
