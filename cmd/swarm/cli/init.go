package cli

import (
	"embed"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

//go:embed template
var template embed.FS

func (a *app) initCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write a small team that runs without a key",
		Long:  "Writes a team of two agents with a scripted model into DIR, or here. Files that are\nthere already are never overwritten: then nothing is written.",
		Example: "  swarm init hello\n" +
			"  swarm run hello \"Say hello\"",
		GroupID: groupMake,
		Args:    arguments("[DIR]"),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			}
			return a.init(dir)
		},
	}
}

func (a *app) init(dir string) error {
	const root = "template"
	var files []string
	err := fs.WalkDir(template, root, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, strings.TrimPrefix(name, root+"/"))
		}
		return err
	})
	if err != nil {
		return err
	}
	var there []string
	for _, name := range files {
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name))); err == nil {
			there = append(there, filepath.Join(dir, filepath.FromSlash(name)))
		}
	}
	if len(there) > 0 {
		return usage("%s is there already and is not overwritten, so nothing was written; name another directory", strings.Join(there, ", "))
	}
	for _, name := range files {
		data, err := template.ReadFile(path.Join(root, name))
		if err != nil {
			return err
		}
		if err := create(filepath.Join(dir, filepath.FromSlash(name)), data); err != nil {
			return err
		}
	}
	if a.json {
		return a.value(struct {
			Dir   string   `json:"dir"`
			Files []string `json:"files"`
		}{dir, files})
	}
	for _, name := range files {
		if err := a.printf("%s\n", filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	if !a.quiet {
		a.errf("try it: swarm run %s \"Say hello\"", quoteArg(dir))
	}
	return nil
}

// create writes a new file; it fails on one that is there.
func create(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}
