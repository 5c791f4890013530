package workspace

import (
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

func TestPlaceGiven(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name  string
		paths []string
		limit Limits
		want  []string // path of the change, or the code of the error
	}{
		{"files and directories", []string{"a.txt", "docs/b.txt", `docs\c.txt`, "./d//e"}, Limits{}, []string{"input/a.txt", "input/docs/b.txt", "input/docs/c.txt", "input/d/e"}},
		{"nothing", nil, Limits{}, nil},
		{"escapes", []string{"../a", "a/../../b", "/etc/passwd", "C:/x", "a\x00", ""}, Limits{}, []string{codeInvalidPath, codeInvalidPath, codeInvalidPath, codeInvalidPath, codeInvalidPath, codeInvalidPath}},
		{"no name", []string{".", "./"}, Limits{}, []string{codeInvalidPath, codeInvalidPath}},
		{"names that may not be made", []string{"a.", "b /c"}, Limits{}, []string{codeInvalidPath, codeInvalidPath}},
		{"too long with the root before it", []string{strings.Repeat("a/", MaxPath/2-3) + "x"}, Limits{}, []string{codeInvalidPath}},
		{"too deep with the root before it", []string{strings.Repeat("a/", MaxDepth-1) + "x"}, Limits{}, []string{codeInvalidPath}},
		{"twice", []string{"a/b", "a//b"}, Limits{}, []string{"input/a/b", "workspace.path_ambiguous"}},
		{"but for case", []string{"docs/a", "Docs/b", "docs/A"}, Limits{}, []string{"input/docs/a", "workspace.path_ambiguous", "workspace.path_ambiguous"}},
		{"but for normal form", []string{"caf\u00e9", "cafe\u0301"}, Limits{}, []string{"input/caf\u00e9", "workspace.path_ambiguous"}},
		{"below a file", []string{"a", "a/b"}, Limits{}, []string{"input/a", codeNotDirectory}},
		{"a directory of others", []string{"a/b", "a"}, Limits{}, []string{"input/a/b", codeNotDirectory}},
		{"a name that was refused is free", []string{"a/../../b", "b"}, Limits{}, []string{codeInvalidPath, "input/b"}},
		{"a large file", []string{"a", "four"}, Limits{FileBytes: 3}, []string{"input/a", "workspace.quota_exceeded"}},
		{"many files", []string{"a", "b", "c", "d"}, Limits{Files: 2}, []string{"input/a", "input/b", "workspace.quota_exceeded", "input/d"}},
		{"much in all", []string{"a", "four", "b"}, Limits{TotalBytes: 4}, []string{"input/a", "workspace.quota_exceeded", "input/b"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			files := make([]Given, len(row.paths))
			for i, p := range row.paths {
				files[i] = Given{Path: p, Content: []byte(p[strings.LastIndexByte(p, '/')+1:])} // its own name
			}
			changes, errs := PlaceGiven(files, row.limit)
			for i, want := range row.want {
				if got := fault.Code(errs[i]); got != want && (errs[i] != nil || changes[i].Path != want) {
					t.Errorf("%q: %q %v, want %s", row.paths[i], changes[i].Path, errs[i], want)
				}
				if c := changes[i]; errs[i] == nil && (c.Op != OpWrite || c.Old != "" || c.New != HashOf(files[i].Content) || c.Size != len(files[i].Content) || c.Content != string(files[i].Content)) {
					t.Errorf("change %+v", c)
				}
			}
		})
	}
}

func TestRankWords(t *testing.T) {
	t.Parallel()
	match, err := RankWords("Red  fox red")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		text  string
		score float64
		at    int
	}{{"ö a FOX", 0.5, 4}, {"fox, red", 1, 0}, {"hen", 0, 0}} {
		if score, at := match(row.text); score != row.score || at != row.at {
			t.Errorf("%q: %v at %d", row.text, score, at)
		}
	}
	if _, err := RankWords(" \t"); fault.Code(err) != "workspace.pattern_invalid" {
		t.Errorf("error %v", err)
	}
}
