package secret

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

// valuer is a value that says what it is only when it is logged.
type valuer struct{}

func (valuer) LogValue() slog.Value { return slog.StringValue("it is " + key) }

type account struct {
	Name string
	Key  *string
	Raw  []byte
}

func TestHandler(t *testing.T) {
	t.Parallel()
	s, k := known(), key
	mask := func(text string) string { return Likely(s.Mask(text)) }
	for name, make := range map[string]func(*bytes.Buffer) slog.Handler{
		"text": func(b *bytes.Buffer) slog.Handler {
			return slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug})
		},
		"JSON": func(b *bytes.Buffer) slog.Handler {
			return slog.NewJSONHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			log := slog.New(Handler(make(&out), mask))
			log.Info("the key is "+key, "count", 7, "took", 1.5, "ok", true)
			log.Debug("values", "text", key, "error", errors.New("no "+key), "bytes", []byte(key), "raw", json.RawMessage(`"`+key+`"`),
				"valuer", valuer{}, "struct", account{"a", &k, []byte(key)}, "number", 8812345678, "map", map[string]string{key: key})
			log.WithGroup("g"+key).With("with", key, slog.Group("deep", "k", key)).Warn("x", "unknown", "ghp_"+strings.Repeat("a", 36))
			log.Info("names", key, 1)
			text := out.String()
			for _, bad := range []string{key, numeric, base64.StdEncoding.EncodeToString([]byte(key)), "ghp_a", "115 107 45"} {
				if strings.Contains(text, bad) {
					t.Errorf("%q is logged:\n%s", bad, text)
				}
			}
			for _, good := range []string{"{{secret:KEY}}", "{{secret:NUMERIC}}", "{{secret:unknown}}", "count", "7", "1.5", "true"} {
				if !strings.Contains(text, good) {
					t.Errorf("%q is not logged:\n%s", good, text)
				}
			}
		})
	}
}
