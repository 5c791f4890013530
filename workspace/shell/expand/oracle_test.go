package expand

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "record anew what the real bash makes of the probes")

func compileRegexp(s string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(s)
	if err == nil {
		re.Longest()
	}
	return re, err
}

// prelude gives bash the commands of the stub.
const prelude = `
p() { printf '%d:' $#; (( $# )) && printf '<%s>' "$@"; echo; }
quote() { printf '%q\n' "$1"; }
put() { printf -v "$1" %s "$2"; }
isset() { [[ -v $1 ]] && echo true || echo false; }
shopt -u extglob
HOME=/root
while IFS= read -r -d ''; do (eval "$REPLY") </dev/null 2>/dev/null; printf '\0'; done
`

// ask gives what the real bash prints for each probe, in a directory with the files of
// treeFiles.
func ask(t *testing.T, probes []string) []string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range treeFiles {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, f)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, f), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", prelude)
	cmd.Dir = dir
	cmd.Env = []string{"LC_ALL=C.UTF-8", "PATH=/usr/bin:/bin", "USER=agent"}
	var in strings.Builder
	for _, probe := range probes {
		in.WriteString(oracleForm(probe) + "\x00")
	}
	cmd.Stdin = strings.NewReader(in.String())
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("the real bash: %v", err)
	}
	answers := strings.Split(out.String(), "\x00")
	if len(answers) != len(probes)+1 {
		t.Fatalf("%d answers to %d probes", len(answers)-1, len(probes))
	}
	return answers[:len(probes)]
}

var (
	testForm = regexp.MustCompile(`(?m)^\[\[ .* \]\]$`)
	letForm  = regexp.MustCompile(`(?m)^let (.*)$`)
)

// oracleForm makes the probe print what the stub prints for [[, (( and let.
func oracleForm(probe string) string {
	lines := strings.Split(probe, "\n")
	for i, line := range lines {
		switch {
		case testForm.MatchString(line) && strings.Contains(line, "=~"):
			lines[i] = line + `; case $? in 2) echo "[[error";; 1) echo "[[[]";; *) printf '[[['; for i in "${!BASH_REMATCH[@]}"; do (( i )) && printf ' '; printf '"%s"' "${BASH_REMATCH[i]}"; done; echo ']';; esac`
		case testForm.MatchString(line):
			lines[i] = line + `; case $? in 0) echo "[[true";; 1) echo "[[false";; esac`
		case strings.HasPrefix(line, "((") && strings.HasSuffix(line, "))"):
			lines[i] = `echo "(($` + line + `"`
		case letForm.MatchString(line):
			lines[i] = letForm.ReplaceAllString(line, `let n=$1; (( $$? < 2 )) && [[ -v n ]] && echo "let $$n"`)
		}
	}
	return strings.Join(lines, "\n")
}

// compare runs probes and compares with the recorded answers of the real bash; -update
// asks it again.
func compare(t *testing.T, name string, probes []string) {
	t.Helper()
	file := filepath.Join("testdata", name+".json")
	recorded := map[string]string{}
	if *update {
		if _, err := exec.LookPath("bash"); err != nil {
			t.Fatalf("-update needs bash: %v", err)
		}
		for i, answer := range ask(t, probes) {
			recorded[probes[i]] = answer
		}
		b, err := json.MarshalIndent(recorded, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, append(b, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	} else {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, &recorded); err != nil {
			t.Fatal(err)
		}
	}
	failed := 0
	for _, probe := range probes {
		want, ok := recorded[probe]
		if !ok {
			t.Fatalf("no answer is recorded for this probe; record with -update:\n%s", probe)
		}
		s := newStub(t)
		got, err := s.run(t.Context(), probe)
		if got != want {
			if failed++; failed <= 40 {
				t.Errorf("%s\n got: %q (%v)\nwant: %q", probe, got, err, want)
			}
		}
	}
	if failed > 0 {
		t.Errorf("%d of %d probes differ", failed, len(probes))
	}
}
