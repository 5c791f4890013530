package cli

import (
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestExamples runs the example of every command: none is a wrong use of the program.
func TestExamples(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	called(t, dir, 0, "init", "hello")
	called(t, dir, 0, "init")
	a := &app{in: strings.NewReader(""), out: io.Discard, err: io.Discard, env: func(string) (string, bool) { return "", false }}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.Runnable() && cmd.Example == "" && cmd.Name() != "completion" {
			t.Errorf("%s has no example", cmd.CommandPath())
		}
		for line := range strings.Lines(cmd.Example) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "swarm init") {
				continue // was done, and is refused a second time
			}
			t.Run(line, func(t *testing.T) {
				t.Parallel()
				sh := exec.CommandContext(t.Context(), "sh", "-c", line)
				sh.Dir = dir
				if out, _ := sh.CombinedOutput(); sh.ProcessState.ExitCode() == exitUsage {
					t.Errorf("%s", out)
				}
			})
		}
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(a.root())
}
