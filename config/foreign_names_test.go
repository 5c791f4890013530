package config

import (
	"os"
	"strings"
	"testing"
)

// TestForeignNames holds that the table of docs/team-file.md says what the names of tools
// of other programs mean in this version.
func TestForeignNames(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(referenceFile)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), "\n| name | means |\n|---|---|\n")
	table, _, found := strings.Cut(rest, "\n\n")
	if !found {
		t.Fatal("there is no table of names")
	}
	known := map[string]bool{}
	for row := range strings.SplitSeq(table, "\n") {
		cells := strings.Split(strings.Trim(row, "| "), " | ")
		for name := range strings.SplitSeq(cells[0], ", ") {
			name = strings.ToLower(strings.Trim(name, "`"))
			known[name] = true
			var means []string
			for _, tool := range spellings[name] {
				if anyMatch("builtin:"+tool, registered()) {
					means = append(means, "`"+tool+"`")
				}
			}
			want := strings.Join(means, ", ")
			if want == "" {
				want = "not in this version"
			}
			if cells[1] != want {
				t.Errorf("%s: the table says %s, it means %s", name, cells[1], want)
			}
		}
	}
	for name := range spellings {
		if !known[name] {
			t.Errorf("%s is missing in the table", name)
		}
	}
}

// TestNearestTool holds which tool is named for a name that is none.
func TestNearestTool(t *testing.T) {
	t.Parallel()
	tool := func(name string) string { return `the nearest one is "` + name + `"` }
	for _, row := range []struct{ name, want string }{
		{"workspace.read", tool("workspace.read_file")},
		{"workspace.write", tool("workspace.write_file")},
		{"workspace.reed_file", tool("workspace.read_file")},
		{"workspace_read", tool("workspace.read_file")},
		{"builtin:workspace.reed_file", tool("workspace.read_file")},
		{"read_file", tool("workspace.read_file")},
		{"read_many_files", tool("workspace.read_file")},
		{"search_file_content", tool("workspace.search_files")},
		{"list", tool("workspace.list_files")},
		{"list_directory", tool("workspace.list_files")},
		{"Edit", tool("workspace.apply_patch")},
		{"grpe", tool("grep")},
		{"delegate", tool("agent.delegate")},
		{"finish", tool("workspace.finish")},
		{"bash", nearShell},
		{"run_shell_command", nearShell},
		{"exec", nearShell},
		{"process", nearShell},
		{"workspace.shel", nearShell},
		{"workspace.*", `write "builtin:workspace.*"`},
		{"WebSearch", ""},
		{"codebase", ""},
		{"nope", ""},
		{"", ""},
	} {
		if got := NearestTool(row.name); got != row.want {
			t.Errorf("%q: got %q, want %q", row.name, got, row.want)
		}
	}
}
