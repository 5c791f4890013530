package view

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func benchView(b *testing.B, roots Roots) *View {
	b.Helper()
	dir := b.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "output", "d"), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "output", "d", "f"), []byte("text\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	v, err := New(Options{Dir: dir, Roots: roots})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = v.Close() })
	return v
}

func BenchmarkStat(b *testing.B) {
	v := benchView(b, agent())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := v.Stat("/output/d/f"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	v := benchView(b, agent())
	b.ReportAllocs()
	p := make([]byte, 64)
	for b.Loop() {
		f, err := v.Open("/output/d/f", os.O_RDONLY, 0)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := f.Read(p); err != nil && err != io.EOF {
			b.Fatal(err)
		}
		_ = f.Close()
	}
}

// BenchmarkCreate makes 1,000 files in one directory.
func BenchmarkCreate(b *testing.B) {
	for b.Loop() {
		v := benchView(b, agent())
		for i := range 1000 {
			f, err := v.Open(fmt.Sprintf("/output/d/f%d", i), os.O_WRONLY|os.O_CREATE, 0o644)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := io.WriteString(f, "x"); err != nil {
				b.Fatal(err)
			}
			_ = f.Close()
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	v := benchView(b, agent())
	v.limits.Written = 1 << 50
	f, err := v.Open("/output/d/f", os.O_WRONLY, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	p := make([]byte, 100)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%1000 == 0 {
			if _, err := f.Seek(0, io.SeekStart); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := f.Write(p); err != nil {
			b.Fatal(err)
		}
	}
}
