package files

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
)

// recordBytes is what the size of an archive is a multiple of.
const recordBytes = 20 * 512

// packer writes members.
type packer struct {
	*archiver
	bytes  counter // written before compression
	tw     *tar.Writer
	self   string // real path of the archive, which is left out
	newer  map[string]time.Time
	warned map[string]bool
	gone   []string // for --remove-files
}

func (t *archiver) create() error {
	if !t.named() && !t.opt.Has("T") {
		return errors.New("cowardly refusing to create an empty archive")
	}
	var out io.Writer = t.Out
	closeFile := func() error { return nil }
	self := ""
	if t.archive != "-" {
		f, err := t.FS.Open(t.Abs(t.archive), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666&^t.Umask)
		if err != nil {
			return fmt.Errorf("%s: Cannot open: %s", t.archive, text(err))
		}
		out, closeFile = f, f.Close
		self, _ = t.FS.Real(t.Abs(t.archive))
	}
	var zipped *gzip.Writer
	if t.gzip {
		zipped = gzip.NewWriter(out)
		out = zipped
	}
	err := t.pack(out, self, nil, 0)
	if zipped != nil && err == nil {
		err = zipped.Close()
	}
	if e := closeFile(); err == nil {
		err = e
	}
	return t.writeError(err)
}

func (t *archiver) writeError(err error) error {
	if err == nil || err == errTar {
		return err
	}
	return fmt.Errorf("%s: Cannot write: %s", t.archive, text(err))
}

func (t *archiver) named() bool {
	for _, m := range t.members {
		if m.name != "" {
			return true
		}
	}
	return false
}

// pack writes the members and the end of an archive. start is how much stands before.
func (t *archiver) pack(out io.Writer, self string, newer map[string]time.Time, start int64) error {
	p := &packer{archiver: t, self: self, newer: newer, warned: map[string]bool{}}
	p.bytes.n = start
	p.tw = tar.NewWriter(io.MultiWriter(out, &p.bytes))
	for _, m := range t.members {
		if m.name == "" {
			continue
		}
		if err := p.add(m); err != nil {
			return err
		}
	}
	if err := p.tw.Close(); err != nil {
		return err
	}
	if rest := p.bytes.n % recordBytes; rest > 0 {
		if _, err := out.Write(make([]byte, recordBytes-rest)); err != nil {
			return err
		}
	}
	for _, name := range p.gone {
		if err := t.FS.Remove(t.Abs(name)); err != nil {
			t.fault("%s: Cannot remove: %s", name, text(err))
		}
	}
	return nil
}

// add writes an operand with what is below it.
func (p *packer) add(m member) error {
	var fault error
	w := &walk{run: p.run, failedAt: func(name string, err error) {
		p.fault("%s: Cannot stat: %s", p.shown(m, name), text(err))
	}}
	if p.opt.Has("h") {
		w.follow = followAll
	}
	w.before = func(n *node) bool {
		name := p.shown(m, n.name)
		if p.excludes(name) {
			return false
		}
		if fault = p.write(n, name); fault != nil {
			w.stopped = true
		}
		return p.opt.Last("no-recursion", "recursion") != "no-recursion"
	}
	if p.opt.Has("remove-files") {
		w.after = func(n *node) { p.gone = append(p.gone, n.name) }
	}
	w.from(m.path())
	if fault == nil && p.ctx.Err() != nil {
		fault = p.ctx.Err()
	}
	return fault
}

// path gives the name of a member as seen from the working directory.
func (m member) path() string {
	if m.dir == "" || strings.HasPrefix(m.name, "/") {
		return m.name
	}
	return join(m.dir, m.name)
}

// shown gives the name that a visited file has as a member.
func (p *packer) shown(m member, name string) string {
	if m.path() == m.name {
		return name
	}
	return m.name + strings.TrimPrefix(name, m.path())
}

// plainMember takes away what makes a name absolute or leads upwards.
func (p *packer) plainMember(name string) string {
	if p.opt.Has("P") {
		return name
	}
	cut := 0
	for cut < len(name) && name[cut] == '/' {
		cut++
	}
	if at := strings.LastIndex("/"+name+"/", "/../"); at >= 0 {
		cut = min(len(name), at+3)
	}
	if prefix := name[:cut]; cut > 0 && !p.warned[prefix] {
		p.warned[prefix] = true
		p.Errorf("Removing leading `%s' from member names", prefix)
	}
	if name = strings.TrimLeft(name[cut:], "/"); name == "" {
		return "."
	}
	return name
}

func (p *packer) write(n *node, name string) error {
	if p.count++; p.count > p.Budget.Members {
		p.fault("more than %d members (the limit members)", p.Budget.Members)
		return errTar
	}
	if real, err := p.FS.Real(p.Abs(n.name)); err == nil && real == p.self && !n.info.IsDir() {
		p.Errorf("%s: file is the archive; not dumped", name)
		return nil
	}
	link := ""
	if n.info.Mode()&fs.ModeSymlink != 0 {
		link, _ = p.FS.Readlink(p.Abs(n.name))
	}
	kind := kindLetter(n.info.Mode())
	if !strings.ContainsRune("-dl", rune(kind)) {
		p.Errorf("%s: %s ignored", name, kindWords(n.info))
		return nil
	}
	h, err := tar.FileInfoHeader(n.info, link)
	if err != nil {
		return err
	}
	h.Name = p.plainMember(name)
	if n.info.IsDir() {
		h.Name = strings.TrimSuffix(h.Name, "/") + "/"
	}
	if old, ok := p.newer[h.Name]; ok && !n.info.ModTime().Truncate(time.Second).After(old) {
		return nil
	}
	p.describe(h)
	if p.verbose > 0 {
		p.name(h, name, n.info.IsDir())
	}
	if err := p.tw.WriteHeader(h); err != nil {
		return err
	}
	if n.info.Mode().IsRegular() {
		if err := p.content(n.name, name, h.Size); err != nil {
			return err
		}
	}
	if p.opt.Has("remove-files") && !n.info.IsDir() {
		p.gone = append(p.gone, n.name)
	}
	return nil
}

// describe sets what options say about members.
func (p *packer) describe(h *tar.Header) {
	h.Format = map[string]tar.Format{"pax": tar.FormatPAX, "posix": tar.FormatPAX, "ustar": tar.FormatUSTAR}[p.opt.Value("format", "gnu")]
	if h.Format == tar.FormatUnknown {
		h.Format = tar.FormatGNU
	}
	h.Uid, h.Gid, h.Uname, h.Gname = p.ownerID, p.groupID, p.owner, p.group
	if p.opt.Has("numeric-owner") {
		h.Uname, h.Gname = "", ""
	}
	h.ModTime, h.AccessTime, h.ChangeTime = h.ModTime.Truncate(time.Second), time.Time{}, time.Time{}
	if !p.modified.IsZero() {
		h.ModTime = p.modified.Truncate(time.Second)
	}
	if p.permission != nil {
		h.Mode = int64(p.permission(uint32(h.Mode), h.Typeflag == tar.TypeDir))
	}
}

// name prints a member that is written, on standard error when the archive takes the output.
func (p *packer) name(h *tar.Header, name string, dir bool) {
	if dir {
		name = strings.TrimSuffix(name, "/") + "/"
	}
	line := escaped(name, "")
	if p.verbose > 1 {
		line = p.detailed(h)
	}
	if p.archive == "-" {
		io.WriteString(p.Err, line+"\n")
		return
	}
	p.Out.WriteString(line + "\n")
}

// content writes a file of exactly size bytes: one that shrinks is filled up with zeros.
func (p *packer) content(file, name string, size int64) error {
	f, err := p.FS.Open(p.Abs(file), os.O_RDONLY, 0)
	if err != nil {
		p.fault("%s: Cannot open: %s", name, text(err))
		return p.zeros(size)
	}
	defer f.Close()
	n, err := io.CopyN(p.tw, p.reader(f), size)
	if err == io.EOF {
		p.fault("%s: File shrank by %d bytes; padding with zeros", name, size-n)
		return p.zeros(size - n)
	}
	return err
}

func (p *packer) zeros(n int64) error {
	buf := make([]byte, 32<<10)
	for n > 0 {
		w, err := p.tw.Write(buf[:min(n, int64(len(buf)))])
		if err != nil {
			return err
		}
		n -= int64(w)
	}
	return nil
}
