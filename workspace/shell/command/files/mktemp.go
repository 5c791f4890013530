package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

const mktempUsage = `
Usage: mktemp [OPTION]... [TEMPLATE]
Make a file or directory with a name that nobody has, and print it. The last run of three or
more X in TEMPLATE (tmp.XXXXXXXXXX) is replaced.

  -d, --directory        a directory
  -u, --dry-run          make nothing
  -q, --quiet            be silent about faults
      --suffix=SUFFIX    behind the template, which then ends with X
  -p, --tmpdir[=DIR]     below DIR, by default $TMPDIR or /tmp
  -t                     the template is one name below -p
`

func mktempCommand() *command.Command {
	return &command.Command{Name: "mktemp", Group: "files", Short: "make a file or directory with a new name", Usage: mktempUsage, Run: runMktemp}
}

func runMktemp(ctx context.Context, c *command.Call) int {
	r, ok := start(ctx, c, "d,directory u,dry-run q,quiet suffix: p: tmpdir:: t", 1)
	if !ok {
		return r.code
	}
	if len(r.opt.Args) > 1 {
		return c.UsageError(1, errors.New("too many templates"))
	}
	name, err := r.mktemp()
	if err != nil {
		r.code = 1
		if !r.opt.Has("q") {
			r.Errorf("%v", err)
		}
		return r.code
	}
	r.Out.WriteString(name + "\n")
	return 0
}

// tries is how many names are tried before mktemp gives up.
const tries = 1000

func (r *run) mktemp() (string, error) {
	template, in := "tmp.XXXXXXXXXX", r.opt.Has("p", "tmpdir", "t")
	if len(r.opt.Args) == 1 {
		template = r.opt.Args[0]
	} else {
		in = true
	}
	suffix := r.opt.Value("suffix", "")
	if r.opt.Has("suffix") && !strings.HasSuffix(template, "X") {
		return "", fmt.Errorf("with --suffix, template '%s' must end in X", template)
	}
	end := strings.LastIndexByte(template, 'X') + 1
	first := end
	for first > 0 && template[first-1] == 'X' {
		first--
	}
	if end-first < 3 {
		return "", fmt.Errorf("too few X's in template '%s'", template)
	}
	if strings.Contains(template[end:]+suffix, "/") {
		return "", fmt.Errorf("invalid suffix '%s', contains directory separator", template[end:]+suffix)
	}
	prefix := template[:first]
	if in {
		dir := r.opt.Value("p", r.opt.Value("tmpdir", ""))
		if env := r.Getenv("TMPDIR"); dir == "" || r.opt.Has("t") && env != "" {
			if dir = env; dir == "" {
				dir = "/tmp"
			}
		}
		if r.opt.Has("t") && strings.Contains(template, "/") {
			return "", fmt.Errorf("invalid template, '%s', contains directory separator", template)
		}
		if strings.HasPrefix(template, "/") {
			return "", fmt.Errorf("invalid template, '%s'; with --tmpdir, it may not be absolute", template)
		}
		prefix = join(dir, prefix)
	}
	for range tries {
		name := prefix + r.letters(end-first) + template[end:] + suffix
		err := r.makeNew(name)
		if err == nil {
			return name, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			kind := "file"
			if r.opt.Has("d") {
				kind = "directory"
			}
			return "", fmt.Errorf("failed to create %s via template '%s': %s", kind, prefix+template[first:]+suffix, text(err))
		}
	}
	return "", fmt.Errorf("failed to find a free name via template '%s'", template)
}

func (r *run) makeNew(name string) error {
	switch {
	case r.opt.Has("u"):
		if _, err := r.lstat(name); err == nil {
			return fs.ErrExist
		}
		return nil
	case r.opt.Has("d"):
		return r.FS.Mkdir(r.Abs(name), 0o700)
	}
	f, err := r.FS.Open(r.Abs(name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// letters gives n random letters and digits.
func (r *run) letters(n int) string {
	const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	b := make([]byte, n)
	r.Rand(b)
	for i := range b {
		b[i] = alphabet[int(b[i])%len(alphabet)]
	}
	return string(b)
}
