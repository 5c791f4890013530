package workspace

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestList(t *testing.T) {
	t.Parallel()
	roots := []string{"input/", "output/", "persist/", "plan/", "scratch/", "skills/", "summaries/"}
	for name, row := range map[string]struct {
		path  string
		depth int
		code  string
		want  []string
	}{
		"root":               {"", 1, "", roots},
		"root by default":    {"", 0, "", slices.Insert(slices.Clone(roots), 2, "output/a.md", "output/b/")},
		"directory":          {"output", 1, "", []string{"output/a.md", "output/b/"}},
		"deeper":             {"output/", 4, "", []string{"output/a.md", "output/b/", "output/b/c/", "output/b/c/d.md"}},
		"dot":                {"./output/./b", 1, "", []string{"output/b/c/"}},
		"an empty root":      {"scratch", 0, "", nil},
		"missing":            {"output/x", 0, codePathNotFound, nil},
		"a file":             {"output/a.md", 0, codeNotDirectory, nil},
		"files-3 hidden":     {"tool-results", 0, codeNotVisible, nil},
		"below a file":       {"output/a.md/x", 0, codeNotDirectory, nil},
		"case differs: hint": {"output/B", 0, codePathNotFound, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, "output/a.md", "x", "output/b/c/d.md", "x", "tool-results/x", "x", "zzz/x", "x")
			got, err := b.view().List(row.path, row.depth)
			wantCode(t, err, row.code)
			if err != nil {
				return
			}
			var paths []string
			for _, e := range got.Entries {
				p := e.Path
				if e.Directory {
					p += "/"
				}
				paths = append(paths, p)
			}
			if !slices.Equal(paths, row.want) || got.Total != len(row.want) || got.Truncated {
				t.Errorf("got %v, want %v", paths, row.want)
			}
		})
	}
}

func TestListIsBounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 250 {
		b.put("z", fmt.Sprintf("output/f%03d", i), "x")
	}
	got, err := b.view().List("output", 1)
	wantCode(t, err, "")
	if len(got.Entries) != 200 || got.Total != 250 || !got.Truncated || got.Entries[199].Path != "output/f199" {
		t.Errorf("%d entries of %d", len(got.Entries), got.Total)
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	files := []string{
		"output/a.md", "alpha beta\ngamma\nBETA alpha\n",
		"output/sub/b.txt", "beta only\n",
		"output/bin", "beta\xff",
		"skills/s/SKILL.md", "alpha beta skill\n",
		"hidden/x", "alpha beta hidden\n",
	}
	for name, row := range map[string]struct {
		q       SearchQuery
		code    string
		want    []string // path:line
		skipped int
	}{
		"words, best first":   {SearchQuery{Query: "Alpha beta beta"}, "", []string{"output/a.md:1", "output/a.md:3", "output/sub/b.txt:1"}, 1},
		"words, some":         {SearchQuery{Query: "gamma only"}, "", []string{"output/a.md:2", "output/sub/b.txt:1"}, 1},
		"nothing":             {SearchQuery{Query: "zebra"}, "", nil, 1},
		"regex in order":      {SearchQuery{Query: "(?i)^beta", Mode: Regex}, "", []string{"output/a.md:3", "output/sub/b.txt:1"}, 1},
		"regex case":          {SearchQuery{Query: "^beta", Mode: Regex}, "", []string{"output/sub/b.txt:1"}, 1},
		"ignore case":         {SearchQuery{Query: "^beta", Mode: Regex, IgnoreCase: true}, "", []string{"output/a.md:3", "output/sub/b.txt:1"}, 1},
		"literal":             {SearchQuery{Query: "a b", Mode: PlainLiteral}, "", []string{"output/a.md:1"}, 1},
		"in a directory":      {SearchQuery{Query: "beta", Path: "output/sub"}, "", []string{"output/sub/b.txt:1"}, 0},
		"in a file":           {SearchQuery{Query: "beta", Path: "output/a.md"}, "", []string{"output/a.md:1", "output/a.md:3"}, 0},
		"skills when named":   {SearchQuery{Query: "alpha", Path: "skills"}, "", []string{"skills/s/SKILL.md:1"}, 0},
		"glob by name":        {SearchQuery{Query: "beta", Glob: "*.txt"}, "", []string{"output/sub/b.txt:1"}, 0},
		"glob by path":        {SearchQuery{Query: "beta", Glob: "output/**/*.txt"}, "", []string{"output/sub/b.txt:1"}, 0},
		"glob from the start": {SearchQuery{Query: "beta", Path: "output", Glob: "sub/*"}, "", []string{"output/sub/b.txt:1"}, 0},
		"limit":               {SearchQuery{Query: "beta", Limit: 1}, "", []string{"output/a.md:1"}, 1},
		"bad regex":           {SearchQuery{Query: "a(b", Mode: Regex}, "workspace.pattern_invalid", nil, 0},
		"no word":             {SearchQuery{Query: "   "}, "workspace.pattern_invalid", nil, 0},
		"bad glob":            {SearchQuery{Query: "a", Glob: "[a"}, "workspace.pattern_invalid", nil, 0},
		"files-3 hidden":      {SearchQuery{Query: "a", Path: "hidden"}, codeNotVisible, nil, 0},
		"missing":             {SearchQuery{Query: "a", Path: "output/x"}, codePathNotFound, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := setup(t, files...).view().Search(t.Context(), row.q)
			wantCode(t, err, row.code)
			if err != nil {
				return
			}
			var hits []string
			for _, h := range got.Hits {
				hits = append(hits, fmt.Sprintf("%s:%d", h.Path, h.Line))
			}
			if !slices.Equal(hits, row.want) || got.Skipped != row.skipped {
				t.Errorf("got %v, skipped %d, want %v, %d", hits, got.Skipped, row.want, row.skipped)
			}
		})
	}
}

func TestSearchContext(t *testing.T) {
	t.Parallel()
	v := setup(t, "output/a", numbered(9)).view()
	for name, row := range map[string]struct {
		query      string
		n          int
		start, end int
	}{
		"middle": {"line 5", 2, 3, 7},
		"first":  {"line 1", 2, 1, 3},
		"last":   {"line 9", 2, 7, 9},
		"none":   {"line 5", 0, 5, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := v.Search(t.Context(), SearchQuery{Query: row.query, Mode: PlainLiteral, Context: row.n})
			wantCode(t, err, "")
			h := got.Hits[0]
			want := strings.Split(strings.TrimSuffix(numbered(9), "\n"), "\n")[row.start-1 : row.end]
			if h.StartLine != row.start || h.EndLine != row.end || !slices.Equal(h.Lines, want) {
				t.Errorf("got %+v, want lines %v", h, want)
			}
		})
	}
}

func TestSearchBounds(t *testing.T) {
	t.Parallel()
	b := setup(t, "output/a", "x", "output/b", "x", "output/1/2/3/c", "x")
	b.limits = Limits{SearchFiles: 1, SearchDepth: 3}
	got, err := b.view().Search(t.Context(), SearchQuery{Query: "x", Path: "output"})
	wantCode(t, err, "")
	if got.Total != 1 || got.Skipped != 1 || !got.Truncated || len(got.Bounds) != 2 {
		t.Errorf("got %+v", got)
	}
	wantIn(t, strings.Join(got.Bounds, ";"), "1 file", "3 levels")

	now := time.Unix(0, 0)
	v := NewView(ViewOptions{Manifest: b.manifest, Blobs: b.blobs, Now: func() time.Time {
		now = now.Add(6 * time.Second)
		return now
	}})
	got, err = v.Search(t.Context(), SearchQuery{Query: "x"})
	wantCode(t, err, "")
	if got.Total != 1 || !got.Truncated {
		t.Errorf("got %+v", got)
	}
	wantIn(t, strings.Join(got.Bounds, ";"), "10s")
}

func TestSearchAnswerIsBounded(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("w", 500) + "needle" + strings.Repeat("w", 500) + "\n"
	v := setup(t, "output/a", strings.Repeat(line, 300)).view()
	got, err := v.Search(t.Context(), SearchQuery{Query: "needle", Limit: 200, Context: 5})
	wantCode(t, err, "")
	shown := 0
	for _, h := range got.Hits {
		for _, l := range h.Lines {
			shown += Chars(l)
		}
		if !strings.Contains(h.Lines[h.Line-h.StartLine], "needle") {
			t.Errorf("line %d does not show its match", h.Line)
		}
	}
	if got.Total != 300 || shown > WindowChars || len(got.Hits) == 0 || !got.Truncated {
		t.Errorf("total %d, %d hits with %d characters", got.Total, len(got.Hits), shown)
	}
}

func TestPatternErrorHasItsPlace(t *testing.T) {
	t.Parallel()
	_, err := setup(t).view().Search(t.Context(), SearchQuery{Query: "é(ab*+", Mode: Regex})
	wantCode(t, err, "workspace.pattern_invalid")
	wantIn(t, err.Error(), "character 4")
}
