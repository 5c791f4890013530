//go:build unix

package workspace

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe is refused at once; nothing waits for a writer.
func TestPipeIsRefused(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"a": "needle"})
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	v := mounted(t, nil, MountSpec{Host: dir})
	_, err := v.MountRead(t.Context(), "pipe", Range{})
	wantCode(t, err, codeInvalidPath)
	wantIn(t, err.Error(), "pipe")
	found, err := v.Grep(t.Context(), SearchQuery{Query: "needle", Mode: Regex})
	wantCode(t, err, "")
	if found.Total != 1 {
		t.Errorf("got %+v", found)
	}
	_, err = v.Grep(t.Context(), SearchQuery{Query: "needle", Mode: Regex, Path: "pipe"})
	wantCode(t, err, codeInvalidPath)
}
