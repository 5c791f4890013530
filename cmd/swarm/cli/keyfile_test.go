//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestKeyFilesHaveAnEnd holds that no command reads a device as a key.
func TestKeyFilesHaveAnEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	team := filepath.Join(dir, "team.yaml")
	if err := os.WriteFile(team, []byte("version: 1\nname: t\nmodels: {default: {provider: openai, base_url: \"http://127.0.0.1:9/v1\", model: m, api_key_file: /dev/zero}}\nagents: {lead: {prompt: x}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{"check": {"check", team}, "doctor": {"doctor", team}, "run": {"run", team, "x"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var said strings.Builder
			Main(append(args, "--data", filepath.Join(dir, name)), strings.NewReader(""), &said, &said, func(string) (string, bool) { return "", false })
			if !strings.Contains(said.String(), "the key file /dev/zero is no regular file; put the key into a file") {
				t.Errorf("it says %s", said.String())
			}
		})
	}
}
