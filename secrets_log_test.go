package swarm

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/internal/secret"
)

// TestLogKnowsEveryTeam holds that a line is masked by the secrets of all teams so far, and
// of those that come after the logger was made.
func TestLogKnowsEveryTeam(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	var k known
	log := k.logger(slog.New(slog.NewTextHandler(&out, nil))).With("team", "t")
	first, second := "first-secret-value", "second-secret-value"
	k.add(secret.New(map[string]string{"FIRST": first}), nil)
	k.add(secret.New(map[string]string{"SECOND": second}), log)
	log.Error("it says "+first, "error", errors.New("no "+second), "other", "ghp_"+strings.Repeat("a", 36))
	if text := out.String(); strings.Contains(text, "-secret-") || strings.Contains(text, "ghp_") || strings.Count(text, "{{secret:") != 3 {
		t.Errorf("the log says %s", text)
	}
	if k.logger(nil) != nil {
		t.Error("no logger became one")
	}
}
