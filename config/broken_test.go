package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// files gives a reader of the files of an archive.
func files(a *txtar.Archive) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		for _, f := range a.Files {
			if f.Name == filepath.ToSlash(name) {
				return f.Data, nil
			}
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
}

// TestBroken reads the teams of testdata/broken: archives whose comment is what a load
// reports, whole. One without a team.yaml is a directory of agent files, with the entry
// that its file want.entry names. With -update the comments are written anew.
func TestBroken(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/broken/*.txtar")
	if err != nil || len(names) < 45 {
		t.Fatalf("%d archives, %v", len(names), err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			a := txtar.Parse(data)
			read := files(a)
			dir := "\x00"
			var got *Team
			if team, gone := read("team.yaml"); gone == nil {
				got, err = Parse(team, "team.yaml", read)
			} else {
				entry, _ := read("want.entry") // a directory may need none
				dir = unpack(t, a)
				got, err = LoadWith(dir, Options{Entry: strings.TrimSpace(string(entry))})
			}
			if err == nil {
				t.Fatalf("the team is taken, warnings: %v", got.Warnings)
			}
			if fault.Code(err) != "config.invalid" {
				t.Errorf("code %q", fault.Code(err))
			}
			var fs Faults
			if !errors.As(err, &fs) {
				t.Fatalf("no faults in %v", err)
			}
			report := strings.ReplaceAll(fs.Error(), dir, "$DIR") + "\n"
			if *update {
				a.Comment = []byte(report)
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if report != string(a.Comment) {
				t.Errorf("got\n%swant\n%s", report, a.Comment)
			}
		})
	}
}
