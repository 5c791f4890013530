package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

func TestReadKeyFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(write("key", " k-1\n"), link); err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct{ path, key, fault string }{
		"a key":       {write("plain", "k-2\r\n"), "k-2", ""},
		"by a link":   {link, "k-1", ""},
		"the largest": {write("largest", strings.Repeat("k", MaxKeyFile)), strings.Repeat("k", MaxKeyFile), ""},
		"too large":   {write("larger", strings.Repeat("k", MaxKeyFile+1)), "", "larger has more than 65536 bytes; name a file that holds the key alone"},
		"not there":   {filepath.Join(dir, "gone"), "", "gone cannot be read: no such file or directory"},
		"a directory": {dir, "", " is no regular file; put the key into a file"},
		"no end":      {os.DevNull, "", os.DevNull + " is no regular file; put the key into a file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			key, err := ReadKeyFile(row.path)
			if key != row.key {
				t.Errorf("got %d characters: %.20q", len(key), key)
			}
			switch {
			case row.fault == "" && err != nil:
				t.Error(err)
			case row.fault != "" && (fault.Code(err) != "config.key_file" || !strings.Contains(err.Error(), row.fault)):
				t.Errorf("got %v", err)
			}
		})
	}
}
