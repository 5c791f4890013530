package shelltest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"
)

// Oracle runs scripts with the real bash, each in an empty directory of its own.
type Oracle struct{ bash, version string }

// programs are what cases compare with, beside bash.
var programs = []string{"ls", "grep", "find", "diff", "patch", "tar", "gzip", "jq", "column", "file", "tree", "node"}

// FindOracle gives the oracle of this machine, or why there is none.
func FindOracle() (o *Oracle, missing string) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		return nil, "there is no bash"
	}
	out, err := exec.Command(bash, "-c", `echo "$BASH_VERSION"`).Output()
	version := strings.TrimSpace(string(out))
	if err != nil || !strings.HasPrefix(version, "5.2") {
		return nil, "bash is " + version + ", 5.2 is needed"
	}
	versions := []string{"bash " + version}
	for _, name := range programs {
		path := filepath.Join("/usr/bin", name) // the only place where cases look
		out, err := exec.Command(path, "--version").CombinedOutput()
		if err != nil {
			return nil, "there is no " + path
		}
		first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		versions = append(versions, first)
	}
	return &Oracle{bash, strings.Join(versions, "; ")}, ""
}

// Version names the programs.
func (o *Oracle) Version() string { return o.version }

// Run runs a script in an empty directory below scratch.
func (o *Oracle) Run(ctx context.Context, scratch, script string) (Result, error) {
	dir, err := os.MkdirTemp(scratch, "case")
	if err != nil {
		return Result{}, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return Result{}, err
	}
	tmp, err := os.MkdirTemp(scratch, "tmp")
	if err != nil {
		return Result{}, err
	}
	ctx, stop := context.WithTimeout(ctx, 20*time.Second)
	defer stop()
	c := exec.CommandContext(ctx, o.bash, "-c", script, "bash")
	c.Dir = dir
	c.Env = []string{
		"HOME=" + dir, "PWD=" + dir, "PATH=/usr/bin:/bin", "SHELL=/bin/bash", "USER=agent", "LOGNAME=agent", "LANG=C.UTF-8", "LC_ALL=C.UTF-8",
		"TMPDIR=" + tmp, "TZ=UTC", "TERM=dumb", "HOSTNAME=swarm",
	}
	var out, errOut bytes.Buffer
	c.Stdout, c.Stderr = &out, &errOut
	c.WaitDelay = time.Second
	err = c.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		return Result{}, err
	}
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	code := c.ProcessState.ExitCode()
	r := Result{Out: Text(strings.NewReplacer(dir+"/", "/", dir, "/").Replace(out.String())), Exit: code, Stderr: errOut.Len() > 0}
	r.Files, err = Files(dir)
	return r, err
}

// Files gives what stands in a directory after a script.
func Files(dir string) (map[string]string, error) {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == dir {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			files[rel] = "/"
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(p)
			files[rel] = "-> " + target
			return err
		case d.Type().IsRegular():
			b, err := os.ReadFile(p)
			files[rel] = short(Text(string(b)))
			return err
		default:
			files[rel] = d.Type().String()
		}
		return nil
	})
	return files, err
}

// maxRecorded is how many bytes of a file a record holds; of a longer one its size and hash.
const maxRecorded = 4096

func short(text string) string {
	if len(text) <= maxRecorded {
		return text
	}
	return fmt.Sprintf("%d bytes, sha256 %x", len(text), sha256.Sum256([]byte(text)))
}

// Text makes bytes fit for JSON: what is not UTF-8 is shown in hex.
func Text(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	const digits = "0123456789abcdef"
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			b.WriteString("\\x")
			b.WriteByte(digits[s[i]>>4])
			b.WriteByte(digits[s[i]&15])
			i++
			continue
		}
		b.WriteString(s[i : i+n])
		i += n
	}
	return b.String()
}
