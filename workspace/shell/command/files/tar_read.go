package files

import (
	"archive/tar"
	"bufio"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// read lists or extracts.
func (t *archiver) read() error {
	in := t.In
	if t.archive != "-" {
		f, err := t.Open(t.archive)
		if err != nil {
			return fmt.Errorf("%s: Cannot open: %s", t.archive, text(err))
		}
		defer f.Close()
		in = f
	}
	plain, err := t.plain(in)
	if err != nil {
		return err
	}
	e := &extractor{archiver: t, made: map[string]bool{}}
	for tr := tar.NewReader(plain); ; {
		h, err := tr.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return t.readFault(err)
		}
		if t.count++; t.count > t.Budget.Members {
			t.fault("more than %d members (the limit members)", t.Budget.Members)
			return errTar
		}
		if t.over() {
			return errTar
		}
		if h.Typeflag == tar.TypeXGlobalHeader || !t.wants(h.Name) || t.excludes(h.Name) {
			continue
		}
		if err := t.member(e, h, tr); err != nil {
			return err
		}
	}
	e.finish()
	for _, m := range t.members {
		if m.name != "" && !m.found {
			t.fault("%s: Not found in archive", m.name)
		}
	}
	return nil
}

func (t *archiver) member(e *extractor, h *tar.Header, content io.Reader) error {
	if t.verbose > 0 || t.mode == "t" {
		line := escaped(h.Name, "")
		if t.mode == "t" && t.verbose > 0 || t.verbose > 1 {
			line = t.detailed(h)
		}
		if t.opt.Has("O") && t.mode == "x" {
			io.WriteString(t.Err, line+"\n")
		} else {
			t.Out.WriteString(line + "\n")
		}
	}
	if t.mode == "t" {
		return nil
	}
	if t.opt.Has("O") {
		if h.Typeflag == tar.TypeReg {
			if _, err := io.Copy(t.Out, t.reader(content)); err != nil && t.Out.Err() == nil {
				return t.readFault(err)
			}
		}
		return nil
	}
	return e.extract(h, content)
}

func (t *archiver) readFault(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("unexpected EOF in archive")
	case errors.Is(err, tar.ErrHeader):
		t.fault("This does not look like a tar archive")
		return errTar
	}
	return errors.New(text(err))
}

// plain gives the archive decompressed.
func (t *archiver) plain(in io.Reader) (io.Reader, error) {
	br := bufio.NewReaderSize(t.reader(in), 32<<10)
	magic, err := br.Peek(6)
	if len(magic) == 0 && err != io.EOF {
		return nil, err
	}
	zipped := len(magic) > 1 && magic[0] == 0x1f && magic[1] == 0x8b
	switch {
	case zipped:
		r, err := gzip.NewReader(br)
		if err != nil {
			return nil, errors.New("not in gzip format")
		}
		return r, nil
	case t.gzip:
		return nil, errors.New("the archive is not in gzip format")
	case strings.HasPrefix(string(magic), "BZh"):
		return bzip2.NewReader(br), nil
	case strings.HasPrefix(string(magic), "\xfd7zXZ"):
		return nil, errors.New("the archive is compressed with xz, which cannot be read here")
	case len(magic) == 0:
		return nil, errors.New("this does not look like a tar archive")
	}
	return br, nil
}

// wants says whether a member was asked for: itself, or a directory that it is in.
func (t *archiver) wants(name string) bool {
	all := true
	wanted := false
	name = strings.TrimSuffix(name, "/")
	for i := range t.members {
		m := &t.members[i]
		if m.name == "" {
			continue
		}
		all = false
		asked := strings.TrimSuffix(m.name, "/")
		match := name == asked || strings.HasPrefix(name, asked+"/")
		if t.patterns && !match {
			for to := range len(name) + 1 {
				match = match || (to == len(name) || name[to] == '/') && glob{pattern: asked}.match(name[:to])
			}
		}
		if match {
			m.found, wanted = true, true
		}
	}
	return all || wanted
}

// detailed gives the line of tar -tv.
func (t *archiver) detailed(h *tar.Header) string {
	owner, group := h.Uname, h.Gname
	if owner == "" || t.opt.Has("numeric-owner") {
		owner = strconv.Itoa(h.Uid)
	}
	if group == "" || t.opt.Has("numeric-owner") {
		group = strconv.Itoa(h.Gid)
	}
	size := strconv.FormatInt(h.Size, 10)
	who := owner + "/" + group
	t.wide = max(t.wide, len(who)+1+len(size))
	mode := h.FileInfo().Mode()
	line := modeString(mode) + " " + who + padLeft(size, t.wide-len(who)) + " " + stamp("%Y-%m-%d %H:%M", h.ModTime.In(zone(t.Call))) + " " + escaped(h.Name, "")
	switch h.Typeflag {
	case tar.TypeSymlink:
		line += " -> " + escaped(h.Linkname, "")
	case tar.TypeLink:
		line = "h" + line[1:] + " link to " + escaped(h.Linkname, "")
	}
	return line
}
