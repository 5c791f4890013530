package data

import (
	"bufio"
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"path"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// sum is one of the commands that print checksums.
type sum struct {
	name string
	tag  string // as in the lines of --tag
	make func() hash.Hash
}

// sums is a constant of the program.
var sums = []sum{
	{"md5sum", "MD5", md5.New},
	{"sha1sum", "SHA1", sha1.New},
	{"sha224sum", "SHA224", sha256.New224},
	{"sha256sum", "SHA256", sha256.New},
	{"sha384sum", "SHA384", sha512.New384},
	{"sha512sum", "SHA512", sha512.New},
}

func sumUsage(s sum) string {
	return "Usage: " + s.name + ` [OPTION]... [FILE]...
Print or check ` + s.tag + ` checksums of files or of standard input.

  -b, --binary          mark names with *
  -c, --check           read checksums from the files and check them
      --tag             lines of the form ` + s.tag + ` (FILE) = CHECKSUM
  -t, --text            the default
  -z, --zero            end lines with a NUL byte
With -c:
      --ignore-missing  say nothing about files that are absent
      --quiet           say nothing about files that are right
      --status          write nothing: the exit status tells
      --strict          fail on lines that are no checksums
  -w, --warn            tell which lines are no checksums`
}

// summing is one run of such a command.
type summing struct {
	sum
	c                                                *command.Call
	tagged, binary, zero                             bool
	ignoreMissing, quiet, status, strict, warn       bool
	good, malformed, unreadable, mismatched, matched int
}

func (s sum) run(ctx context.Context, c *command.Call) int {
	o, err := command.Parse(c.Args, "b,binary c,check tag t,text z,zero ignore-missing quiet status strict w,warn")
	if err != nil {
		return c.UsageError(1, err)
	}
	r := &summing{
		sum: s, c: c, tagged: o.Has("tag"), binary: o.Last("b", "t") == "b", zero: o.Has("z"),
		ignoreMissing: o.Has("ignore-missing"), quiet: o.Has("quiet"), status: o.Has("status"), strict: o.Has("strict"), warn: o.Has("w"),
	}
	check := o.Has("c")
	switch {
	case check && r.tagged:
		return c.UsageError(1, errors.New("the --tag option is meaningless when verifying checksums"))
	case check && r.zero:
		return c.UsageError(1, errors.New("the --zero option is not supported when verifying checksums"))
	}
	for _, name := range []string{"ignore-missing", "quiet", "status", "strict", "w"} {
		if !check && o.Has(name) {
			if name == "w" {
				name = "warn"
			}
			return c.UsageError(1, fmt.Errorf("the --%s option is meaningful only when verifying checksums", name))
		}
	}
	names := o.Args
	if len(names) == 0 {
		names = []string{"-"}
	}
	code := 0
	for _, name := range names {
		if check {
			code = max(code, r.check(ctx, name))
			continue
		}
		digest, err := r.digest(ctx, name)
		if err != nil {
			code = c.Fail(name, err)
			continue
		}
		r.print(digest, name)
	}
	return code
}

func (r *summing) digest(ctx context.Context, name string) (string, error) {
	f, err := r.c.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := r.make()
	buf := make([]byte, 64<<10)
	for {
		n, err := f.Read(buf)
		h.Write(buf[:n])
		if err == io.EOF {
			return hex.EncodeToString(h.Sum(nil)), nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return "", err
		}
	}
}

// escapes are of names that would break lines; such a line begins with a backslash.
var escapes = strings.NewReplacer("\\", `\\`, "\n", `\n`, "\r", `\r`)

func (r *summing) print(digest, name string) {
	end, mark := "\n", "  "
	if r.binary {
		mark = " *"
	}
	if r.zero {
		end = "\x00"
	} else if escaped := escapes.Replace(name); escaped != name {
		r.c.Out.WriteByte('\\')
		name = escaped
	}
	if r.tagged {
		fmt.Fprintf(r.c.Out, "%s (%s) = %s%s", r.tag, name, digest, end)
		return
	}
	r.c.Out.WriteString(digest + mark + name + end)
}

// check checks the files that a list names.
func (r *summing) check(ctx context.Context, list string) int {
	f, err := r.c.Open(list)
	if err != nil {
		return r.c.Fail(list, err)
	}
	defer f.Close()
	r.good, r.malformed, r.unreadable, r.mismatched, r.matched = 0, 0, 0, 0, 0
	lines := bufio.NewReader(f)
	for n := 1; ; n++ {
		line, err := lines.ReadString('\n')
		if line = strings.TrimSuffix(line, "\n"); line != "" && line[0] != '#' {
			r.checkLine(ctx, list, n, line)
		}
		if err == io.EOF {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return r.c.Fail(list, err)
		}
	}
	return r.summary(list)
}

func (r *summing) checkLine(ctx context.Context, list string, n int, line string) {
	digest, name, ok := r.parse(line)
	if !ok {
		r.malformed++
		if r.warn {
			r.c.Errorf("%s: %d: improperly formatted %s checksum line", list, n, r.tag)
		}
		return
	}
	r.good++
	shown := name
	if escaped := escapes.Replace(name); escaped != name {
		shown = "\\" + escaped
	}
	got, err := r.digest(ctx, name)
	switch {
	case err != nil && r.ignoreMissing && view.Text(err) == "No such file or directory":
	case err != nil:
		r.c.Errorf("%s: %s", name, view.Text(err))
		r.unreadable++
		if !r.status {
			fmt.Fprintf(r.c.Out, "%s: FAILED open or read\n", shown)
		}
	case !strings.EqualFold(got, digest):
		r.mismatched++
		if !r.status {
			fmt.Fprintf(r.c.Out, "%s: FAILED\n", shown)
		}
	default:
		r.matched++
		if !r.status && !r.quiet {
			fmt.Fprintf(r.c.Out, "%s: OK\n", shown)
		}
	}
}

// parse reads a line of either form.
func (r *summing) parse(line string) (digest, name string, ok bool) {
	size := 2 * r.make().Size()
	line = strings.TrimLeft(line, " \t")
	line, escaped := strings.CutPrefix(line, "\\")
	if rest, tagged := strings.CutPrefix(line, r.tag+" ("); tagged {
		at := strings.LastIndex(rest, ") = ")
		if at < 0 {
			return "", "", false
		}
		digest, name = rest[at+4:], rest[:at]
	} else {
		if len(line) < size+3 || line[size] != ' ' {
			return "", "", false
		}
		digest, name = line[:size], line[size+1:]
		if name[0] == ' ' || name[0] == '*' {
			name = name[1:]
		}
	}
	if _, err := hex.DecodeString(digest); err != nil || len(digest) != size || name == "" {
		return "", "", false
	}
	if escaped {
		name = strings.NewReplacer(`\\`, "\\", `\n`, "\n", `\r`, "\r").Replace(name)
	}
	return digest, name, true
}

func (r *summing) summary(list string) int {
	if r.good == 0 {
		if list == "-" {
			list = "'standard input'"
		}
		r.c.Errorf("%s: no properly formatted checksum lines found", list)
		return 1
	}
	warn := func(n int, one, many string) {
		if n > 0 && !r.status {
			text := many
			if n == 1 {
				text = one
			}
			fmt.Fprintf(r.c.Err, "%s: WARNING: %d %s\n", path.Base(r.c.Args[0]), n, text)
		}
	}
	warn(r.malformed, "line is improperly formatted", "lines are improperly formatted")
	warn(r.unreadable, "listed file could not be read", "listed files could not be read")
	warn(r.mismatched, "computed checksum did NOT match", "computed checksums did NOT match")
	if r.ignoreMissing && r.matched == 0 && r.mismatched == 0 {
		r.c.Errorf("%s: no file was verified", list)
		return 1
	}
	if r.mismatched > 0 || r.unreadable > 0 || r.strict && r.malformed > 0 {
		return 1
	}
	return 0
}
