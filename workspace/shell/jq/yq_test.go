package jq

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command/commandtest"
)

const config = `# the service
name: "web"   # public
ports: [80, 443]
env:
  # secret
  KEY: 'a'
  LEVEL: debug
base: &base
  x: 1
other:
  <<: *base
  y: 2
`

func TestYQ(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		args []string
		in   string
		out  string
		code int
	}{
		{"identity keeps everything", []string{"."}, "# c\nz: 1 # d\na: \"q\"\n", "# c\nz: 1 # d\na: \"q\"\n", 0},
		{"scalar", []string{".name"}, config, "web\n", 0},
		{"part as it was written", []string{".env"}, config, "# secret\nKEY: 'a'\nLEVEL: debug\n", 0},
		{"merged keys", []string{".other.x"}, config, "1\n", 0},
		{"change keeps the rest", []string{".env.LEVEL = \"info\" | .env"}, "env:\n  # secret\n  KEY: 'a'\n  LEVEL: debug\n", "KEY: a\nLEVEL: info\n", 0},
		{"new key comes last", []string{".m = 1"}, "z: 1\na: 2\n", "z: 1\na: 2\nm: 1\n", 0},
		{"delete", []string{"del(.z)"}, "# head\nz: 1\na: 2 # two\n", "a: 2 # two\n", 0},
		{"json", []string{"-o", "json", "-c", "."}, "a: [1, yes, ~, 1.5, 0x10]\n", `{"a":[1,"yes",null,1.5,16]}` + "\n", 0},
		{"json raw", []string{"-o=json", "-r", ".a"}, "a: x\n", "x\n", 0},
		{"from json", []string{"-p", "json", "."}, `{"a":{"b":[1,"2"]}}`, "a:\n  b:\n    - 1\n    - \"2\"\n", 0},
		{"documents", []string{".a"}, "a: 1\n---\na: 2\n", "1\n---\n2\n", 0},
		{"documents without a line between", []string{"-N", ".a"}, "a: 1\n---\na: 2\n", "1\n2\n", 0},
		{"all documents", []string{"-s", "-o", "json", "-c", "."}, "a: 1\n---\na: 2\n", `[{"a":1},{"a":2}]` + "\n", 0},
		{"null input", []string{"-n", ".a.b = 1"}, "", "a:\n  b: 1\n", 0},
		{"environment", []string{"-n", "strenv(HOME)"}, "", "/\n", 0},
		{"variables", []string{"-n", "--arg", "x", "1", "--argjson", "y", "2", "[$x, $y]"}, "", "- \"1\"\n- 2\n", 0},
		{"text of several lines", []string{"-n", `{a: "x\ny\n"}`}, "", "a: |\n  x\n  y\n", 0},
		{"exit status", []string{"-e", ".nope"}, "a: 1\n", "null\n", 1},
		{"bad yaml", []string{"."}, "a: [1\n", "", 2},
		{"unknown option", []string{"--nope"}, "", "", 2},
		{"eval-all is refused", []string{"ea", "."}, "", "", 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			out, errOut, code := commandtest.Run(t, Commands(), t.TempDir(), append([]string{"yq"}, row.args...), row.in)
			if out != row.out || code != row.code {
				t.Errorf("out %q, exit %d, stderr %q; want %q, %d", out, code, errOut, row.out, row.code)
			}
		})
	}
}

func TestYQInPlace(t *testing.T) {
	t.Parallel()
	dir := given(t, map[string]string{"c.yaml": config, "bad.yaml": "a: ["})
	want := "# the service\nname: \"api\" # public\nports: [80, 443, 8080]\nenv:\n  # secret\n  KEY: 'a'\n  LEVEL: debug\nbase: &base\n  x: 1\nother:\n  <<: *base\n  y: 2\n"
	if _, errOut, code := commandtest.Run(t, Commands(), dir, []string{"yq", "-i", `.name = "api" | .ports += [8080]`, "c.yaml"}, ""); code != 0 {
		t.Fatalf("exit %d: %s", code, errOut)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "c.yaml")); err != nil || string(b) != want {
		t.Errorf("%v, file:\n%s\nwant:\n%s", err, b, want)
	}
	if _, _, code := commandtest.Run(t, Commands(), dir, []string{"yq", "-i", ".", "bad.yaml"}, ""); code == 0 {
		t.Error("a broken file was taken")
	}
	if b, err := os.ReadFile(filepath.Join(dir, "bad.yaml")); err != nil || string(b) != "a: [" {
		t.Errorf("a broken file was changed to %q, %v", b, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("files left behind: %v, %v", entries, err)
	}
}
