package view

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is a view over a directory, with a canary beside it.
type bench struct {
	*View
	t         *testing.T
	dir       string // of the host
	announced []string
}

const canary = "the canary beside the projection"

func setup(t *testing.T, o Options) *bench {
	t.Helper()
	over := t.TempDir()
	b := &bench{t: t, dir: filepath.Join(over, "dir")}
	o.Dir, o.Announce = b.dir, func(p string) { b.announced = append(b.announced, p) }
	b.host(os.Mkdir(b.dir, 0o755))
	b.host(os.WriteFile(filepath.Join(over, "canary"), []byte(canary), 0o644))
	if o.Tmp == "tmp" {
		o.Tmp = filepath.Join(over, "tmp")
		b.host(os.Mkdir(o.Tmp, 0o755))
	}
	if o.Budget == nil {
		o.Budget = &limits.Budget{}
	}
	v, err := New(o)
	b.host(err)
	b.View = v
	t.Cleanup(func() {
		b.host(v.Close())
		got, err := os.ReadFile(filepath.Join(over, "canary"))
		if err != nil || string(got) != canary {
			t.Errorf("the canary was changed: %q, %v", got, err)
		}
		names, err := filepath.Glob(over + "/*")
		if err != nil || len(names) > 3 {
			t.Errorf("something new stands beside the directory: %v, %v", names, err)
		}
	})
	return b
}

// agent gives the roots of an agent.
func agent() Roots {
	return Roots{Visible: []string{"input", "output", "scratch"}, Writable: []string{"output", "scratch"}}
}

// host stops at a fault of the test itself.
func (b *bench) host(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// put writes a file by way of the host.
func (b *bench) put(name, text string) {
	b.t.Helper()
	full := filepath.Join(b.dir, name)
	b.host(os.MkdirAll(filepath.Dir(full), 0o755))
	b.host(os.WriteFile(full, []byte(text), 0o644))
}

func (b *bench) write(name, text string) error {
	f, err := b.Open(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	return errors.Join(err, f.Close())
}

func (b *bench) read(name string) (string, error) {
	f, err := b.Open(name, os.O_RDONLY, 0)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(f)
	return string(text), errors.Join(err, f.Close())
}

func (b *bench) names(dir string) string {
	b.t.Helper()
	entries, err := b.ReadDir(dir)
	b.host(err)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}

func (b *bench) want(name, text string) {
	b.t.Helper()
	if got, err := b.read(name); err != nil || got != text {
		b.t.Errorf("%s is %q, %v, want %q", name, got, err, text)
	}
}

// wantErr checks the number of an error; 0 wants none.
func wantErr(t *testing.T, err error, want syscall.Errno) {
	t.Helper()
	if want == 0 && err != nil || want != 0 && !errors.Is(err, want) {
		t.Errorf("got %v, want %v", err, want)
	}
}

func (b *bench) wantAnnounced(want ...string) {
	b.t.Helper()
	if !slices.Equal(b.announced, want) {
		b.t.Errorf("announced %q, want %q", b.announced, want)
	}
}
