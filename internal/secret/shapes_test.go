package secret

import (
	"strings"
	"testing"
)

func TestLikely(t *testing.T) {
	t.Parallel()
	pem := "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\nabc=\n-----END EC PRIVATE KEY-----"
	for name, row := range map[string]struct{ in, want string }{
		"nothing":            {"a risk-assessment of the task-force, github and all", "a risk-assessment of the task-force, github and all"},
		"key of a service":   {"Incorrect API key sk-" + strings.Repeat("a1", 12) + ".", "Incorrect API key {{secret:unknown}}."},
		"too short":          {"sk-short", "sk-short"},
		"inside a word":      {"task-" + strings.Repeat("a", 40), "task-" + strings.Repeat("a", 40)},
		"token of a host":    {"ghp_" + strings.Repeat("x", 36), "{{secret:unknown}}"},
		"fine-grained token": {"github_pat_" + strings.Repeat("x", 36), "{{secret:unknown}}"},
		"access key":         {"id AKIA" + strings.Repeat("Z", 16) + ",", "id {{secret:unknown}},"},
		"web token":          {"Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl!", "Bearer {{secret:unknown}}!"},
		"private key":        {"a " + pem + " b", "a {{secret:unknown}} b"},
		"cut private key":    {"a " + pem[:50], "a {{secret:unknown}}"},
		"on one line":        {strings.ReplaceAll(pem, "\n", " "), "{{secret:unknown}}"},
		"certificate":        {"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"},
		"two":                {"sk-" + strings.Repeat("a", 20) + " ghp_" + strings.Repeat("b", 20), "{{secret:unknown}} {{secret:unknown}}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Likely(row.in); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}
