package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

func (a *app) filesCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "files RUN [PATH]",
		Short: "List the workspace of a run, print a file of it, or copy it",
		Long: "Lists the files of a run, whatever its state, or prints the one at PATH exactly as it\n" +
			"is. PATH may also be a directory. With --out they are written into a directory, which\n" +
			"must be new or empty; nothing is ever written outside of it.",
		Example: "  swarm files run_01 output/main.md",
		GroupID: groupLook,
		Args:    arguments("RUN", "[PATH]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("out") && out == "" {
				return usage("--out is the name of a directory")
			}
			args = append(args, "")
			return a.files(cmd.Context(), args[0], args[1], out)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "new or empty directory that gets the files")
	return cmd
}

// fileContent is a file with its content.
type fileContent struct {
	swarm.WorkspaceFile
	Text   *string `json:"text,omitempty"`
	Base64 []byte  `json:"base64,omitempty"` // of what is no UTF-8 text
}

// filesView is what files prints with --json.
type filesView struct {
	Run   string        `json:"run"`
	Out   string        `json:"out,omitempty"`
	Files []fileContent `json:"files"`
}

func (a *app) files(ctx context.Context, id, at, out string) (err error) {
	rt, sum, err := a.openRun(ctx, id, swarm.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shut(rt)) }()
	list, damage := rt.Files(ctx, sum.Run)
	if damage != nil && fault.Code(damage) != "journal.damaged" {
		return damage
	}
	list, one, err := below(list, at)
	if err != nil {
		return err
	}
	if len(list) == 0 && at != "" {
		if _, err := rt.ReadFile(ctx, sum.Run, at); err != nil {
			return err
		}
	}
	v := &filesView{Run: sum.Run, Out: out, Files: []fileContent{}}
	for _, f := range list {
		v.Files = append(v.Files, fileContent{WorkspaceFile: f})
	}
	switch {
	case out != "":
		err = a.export(ctx, rt, v)
	case one:
		err = a.content(ctx, rt, v)
	default:
		err = a.fileList(v)
	}
	return errors.Join(err, damage)
}

// below narrows files to one, or to those below a directory.
func below(list []swarm.WorkspaceFile, at string) (found []swarm.WorkspaceFile, one bool, err error) {
	if at == "" {
		return list, false, nil
	}
	p, err := workspace.ParsePath(at)
	if err != nil || p == "" {
		return list, false, err
	}
	for _, f := range list {
		if f.Path == p {
			return []swarm.WorkspaceFile{f}, true, nil
		}
		if strings.HasPrefix(f.Path, p+"/") {
			found = append(found, f)
		}
	}
	return found, false, nil
}

func (a *app) fileList(v *filesView) error {
	if a.json {
		return a.value(v)
	}
	if len(v.Files) == 0 {
		if !a.quiet {
			a.errf("the workspace of %s holds no files", v.Run)
		}
		return nil
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "PATH\tCHARACTERS\tBYTES\tCHANGED BY\tRECORD") // Flush tells
	for _, f := range v.Files {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\n", plain(listedAs(&f), 2*workspace.MaxPath), grouped(int64(f.Chars)), grouped(int64(f.Bytes)), changedBy(f.By), f.Seq)
	}
	return w.Flush()
}

// listedAs gives the path of a file, and tells links and empty directories from it.
func listedAs(f *fileContent) string {
	switch f.Kind {
	case workspace.KindLink:
		return f.Path + " -> " + f.Target
	case workspace.KindDir:
		return f.Path + "/"
	}
	return f.Path
}

// changedBy names who changed a file.
func changedBy(path string) string {
	if path == "" {
		return "(given)"
	}
	return path
}

// content prints one file.
func (a *app) content(ctx context.Context, rt *swarm.Runtime, v *filesView) error {
	f := &v.Files[0]
	b, err := rt.ReadFile(ctx, v.Run, f.Path)
	if err != nil {
		return err
	}
	if !a.json {
		return a.printf("%s", b)
	}
	if text := string(b); workspace.IsText(b) {
		f.Text = &text
	} else {
		f.Base64 = b
	}
	return a.value(v)
}

// export writes files into a new or empty directory.
func (a *app) export(ctx context.Context, rt *swarm.Runtime, v *filesView) error {
	dir, err := emptyDir(v.Out)
	if err != nil {
		return err
	}
	defer dir.Close()
	for i := range v.Files {
		f := &v.Files[i]
		made, err := a.exportOne(ctx, rt, v, f, dir)
		if err != nil {
			return fault.Wrap(err, "workspace.export", "%s of %s were written, then %s failed", grouped(int64(i)), grouped(int64(len(v.Files))), f.Path).
				With("write files", v.Out)
		}
		if made && !a.json {
			if err := a.printf("%s\n", filepath.Join(v.Out, filepath.FromSlash(f.Path))); err != nil {
				return err
			}
		}
	}
	if a.json {
		return a.value(v)
	}
	return nil
}

// exportOne writes a file, makes an empty directory, or puts a copy of what it leads to in
// the place of a link: a link would lead elsewhere on the host. One that leads to no file is
// left out and said.
func (a *app) exportOne(ctx context.Context, rt *swarm.Runtime, v *filesView, f *fileContent, dir *os.Root) (made bool, err error) {
	if f.Kind == workspace.KindDir {
		return true, placeDir(dir, f.Path)
	}
	b, err := rt.ReadFile(ctx, v.Run, f.Path)
	if err != nil && f.Kind == workspace.KindLink {
		a.errf("%s was left out: %s", plain(f.Path, workspace.MaxPath), plain(err.Error(), 2*workspace.MaxPath))
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, place(dir, f.Path, b, f.Executable)
}

// emptyDir opens a directory that is new or empty, and is no link.
func emptyDir(name string) (*os.Root, error) {
	name = filepath.Clean(name)
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(name, 0o755); err != nil {
			return nil, usage("--out: the directory cannot be made: %w", err)
		}
		if info, err = os.Lstat(name); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, usage("--out: %w", err)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, usage("--out %s is a link; name the directory itself", name)
	case !info.IsDir():
		return nil, usage("--out %s is a file; name a directory", name)
	}
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, usage("--out: %w", err)
	}
	if err := unused(root, info, name); err != nil {
		_ = root.Close()
		return nil, err
	}
	return root, nil
}

// unused says whether a directory is the one that was looked at, and empty.
func unused(root *os.Root, info fs.FileInfo, name string) error {
	now, err := root.Stat(".")
	if err != nil {
		return err
	}
	if !os.SameFile(now, info) {
		return usage("--out %s was replaced while it was being opened", name)
	}
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		return usage("--out %s is not empty, so nothing was written; name a new directory", name)
	}
	return nil
}

// placeDir makes a directory below another one.
func placeDir(dir *os.Root, name string) error {
	if clean, err := workspace.ParsePath(name); err != nil || clean != name {
		return fault.Wrap(err, "workspace.invalid_path", "the journal names a directory %q", name)
	}
	return dir.MkdirAll(filepath.FromSlash(name), 0o755)
}

// place writes a new file below a directory and never follows a link out of it.
func place(dir *os.Root, name string, data []byte, executable bool) error {
	if clean, err := workspace.ParsePath(name); err != nil || clean != name {
		return fault.Wrap(err, "workspace.invalid_path", "the journal names a file %q", name)
	}
	if at := path.Dir(name); at != "." {
		if err := dir.MkdirAll(filepath.FromSlash(at), 0o755); err != nil {
			return err
		}
	}
	mode := fs.FileMode(0o644)
	if executable {
		mode = 0o755
	}
	f, err := dir.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
