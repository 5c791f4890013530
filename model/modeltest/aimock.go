package modeltest

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// aimockFolder holds the locked package of the mock server, below the module's root.
const aimockFolder = "model/openai/testdata/aimock"

// StartAimock starts @copilotkit/aimock, a mock server that others wrote, as a process
// with the given fixture file (JSON) and gives its base URL with the version part. The
// process ends with the test. The package is installed by npm ci from a lock file, once
// per machine and lock; without node or npm the test is skipped with that reason.
func StartAimock(t testing.TB, fixture string) (baseURL string) {
	t.Helper()
	node := need(t, "node")
	folder := installAimock(t, need(t, "npm"))
	file := filepath.Join(t.TempDir(), "fixture.json")
	if err := os.WriteFile(file, []byte(fixture), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, filepath.Join(folder, "node_modules", "@copilotkit", "aimock", "dist", "cli.js"),
		"--port", "0", "--fixtures", file, "--strict", "--chunk-size", "7")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatalf("start aimock: %v", err)
	}
	found := make(chan string, 1)
	read := make(chan struct{})
	go func() { // owned by the test: ends with the process, which the cleanup kills
		defer close(read)
		defer close(found)
		told := false
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if _, url, ok := strings.Cut(lines.Text(), "listening on "); ok && !told {
				found <- strings.TrimSpace(url)
				told = true
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-read
		_ = cmd.Wait()
	})
	url, ok := <-found
	if !ok {
		t.Fatal("aimock ended before it listened")
	}
	return url + "/v1"
}

// AimockJournal gives the bodies of the chat requests that the server has seen, in order.
// A request of the Messages form is there as the chat completion that the server makes of
// it, and as null when the server refused it.
func AimockJournal(t testing.TB, baseURL string) []json.RawMessage {
	t.Helper()
	resp, err := http.Get(strings.TrimSuffix(baseURL, "/v1") + "/__aimock/journal")
	if err != nil {
		t.Fatalf("read aimock's journal: %v", err)
	}
	defer resp.Body.Close()
	defer http.DefaultClient.CloseIdleConnections()
	var entries []struct {
		Path string
		Body json.RawMessage
	}
	if err := json.NewDecoder(resp.Body).Decode(&entries); err != nil {
		t.Fatalf("read aimock's journal: %v", err)
	}
	var bodies []json.RawMessage
	for _, e := range entries {
		if strings.HasSuffix(e.Path, "/chat/completions") || strings.HasSuffix(e.Path, "/messages") {
			// The server notes the kind of endpoint in the body that it keeps.
			own := bytes.TrimSuffix(e.Body, []byte(`,"_endpointType":"chat"}`))
			if len(own) < len(e.Body) {
				own = append(own, '}')
			}
			bodies = append(bodies, own)
		}
	}
	return bodies
}

// need gives the path of a program, or skips the test that cannot run without it.
func need(t testing.TB, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s needs %s for the mock server: install Node.js 20.15 or later", t.Name(), program)
	}
	return path
}

// installAimock installs the locked package into a folder of its own and gives the folder.
func installAimock(t testing.TB, npm string) string {
	t.Helper()
	source := findFolder(t)
	sum := sha256.New()
	files := make(map[string][]byte)
	for _, name := range []string{"package.json", "package-lock.json"} {
		b, err := os.ReadFile(filepath.Join(source, name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = b
		sum.Write(b)
	}
	final := filepath.Join(os.TempDir(), fmt.Sprintf("aimock-%d-%s", os.Getuid(), hex.EncodeToString(sum.Sum(nil))[:16]))
	if _, err := os.Stat(final); err == nil {
		return final
	}
	fresh, err := os.MkdirTemp(os.TempDir(), "aimock-install-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(fresh)
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(fresh, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = fresh
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	// Another test process may have been faster: its folder is as good.
	if err := os.Rename(fresh, final); err != nil {
		if _, stat := os.Stat(final); stat != nil {
			t.Fatal(err)
		}
	}
	return final
}

// findFolder walks up from the test's package to the module's root.
func findFolder(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			folder := filepath.Join(dir, filepath.FromSlash(aimockFolder))
			if _, err := os.Stat(folder); err == nil {
				return folder
			}
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatalf("there is no %s above the test", aimockFolder)
		}
		dir = up
	}
}
