package house

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// block is a fenced block of a document. Its info line is a language and words for this
// test: "sh tested" is run, "yaml tested FILE" is written to a file first, "go FILE" is
// part of that file of the module.
type block struct {
	line  int
	words []string
	text  string
}

func blocks(t *testing.T, file string) []block {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []block
	var open *block
	for i, line := range strings.Split(string(data), "\n") {
		info, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && open == nil:
			open = &block{line: i + 1, words: strings.Fields(info)}
		case fence:
			all = append(all, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		}
	}
	if open != nil {
		t.Fatalf("%s:%d: the block does not end", file, open.line)
	}
	return all
}

func documents(t *testing.T) []string {
	t.Helper()
	docs, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	return append(docs, filepath.Join(root, "README.md"))
}

// program builds the command and gives its directory.
func program(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "swarm"), "./cmd/swarm")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return dir
}

// TestDocumentedCommandsWork does what the documents say, each in a folder of its own.
func TestDocumentedCommandsWork(t *testing.T) {
	t.Parallel()
	bin := program(t)
	for _, doc := range documents(t) {
		t.Run(filepath.Base(doc), func(t *testing.T) {
			t.Parallel()
			var script strings.Builder
			dir := t.TempDir()
			for _, b := range blocks(t, doc) {
				switch w := b.words; {
				case len(w) == 2 && w[0] == "sh" && w[1] == "tested":
					script.WriteString(b.text)
				case len(w) == 3 && w[1] == "tested":
					file := filepath.Join(dir, filepath.FromSlash(w[2]))
					if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(file, []byte(b.text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
			runLines(t, dir, bin, script.String())
		})
	}
}

// runLines runs commands one by one, as a reader would type them. The word RUN stands for
// the newest run's id.
func runLines(t *testing.T, dir, bin, script string) {
	t.Helper()
	at := dir
	env := append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "OPENAI_API_KEY=none", "SWARM_DATA=")
	sh := func(line string) []byte {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
		cmd.Dir, cmd.Env = at, env
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v\n%s%s", line, err, out.String(), errs.String())
		}
		return out.Bytes()
	}
	data := regexp.MustCompile(` --data \S+`)
	word := regexp.MustCompile(`\bRUN\b`)
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		if to, ok := strings.CutPrefix(line, "cd "); ok {
			at = filepath.Join(at, to)
			continue
		}
		if word.MatchString(line) {
			var newest struct{ Run string }
			if err := json.Unmarshal(bytes.SplitN(sh("swarm runs --json"+data.FindString(line)), []byte("\n"), 2)[0], &newest); err != nil {
				t.Fatalf("%s: which run? %v", line, err)
			}
			line = word.ReplaceAllString(line, newest.Run)
		}
		sh(line)
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// TestDocumentedCodeIsReal holds that code in the documents stands in the tree.
func TestDocumentedCodeIsReal(t *testing.T) {
	t.Parallel()
	for _, doc := range documents(t) {
		for _, b := range blocks(t, doc) {
			if len(b.words) != 2 || b.words[0] != "go" {
				continue
			}
			code, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(b.words[1])))
			if err != nil || !strings.Contains(string(code), b.text) {
				t.Errorf("%s:%d: the block is not part of %s (%v)", doc, b.line, b.words[1], err)
			}
		}
	}
}

// TestDocumentsLinkToWhatIsThere holds for links within the tree.
func TestDocumentsLinkToWhatIsThere(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`)
	for _, doc := range documents(t) {
		data, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(data), -1) {
			if !strings.Contains(m[1], "://") && !exists(filepath.Join(filepath.Dir(doc), filepath.FromSlash(m[1]))) {
				t.Errorf("%s: there is no %s", doc, m[1])
			}
		}
	}
}
