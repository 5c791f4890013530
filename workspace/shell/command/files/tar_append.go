package files

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// append writes members behind those of an archive.
func (t *archiver) append() error {
	if t.gzip || t.opt.Has("j") {
		return errors.New("cannot update compressed archives")
	}
	if t.archive == "-" {
		return errors.New("options '-[0-7][lmh]' and '-r', '-u' need an archive: give -f FILE")
	}
	f, err := t.FS.Open(t.Abs(t.archive), os.O_RDWR|os.O_CREATE, 0o666&^t.Umask)
	if err != nil {
		return fmt.Errorf("%s: Cannot open: %s", t.archive, text(err))
	}
	err = t.appendTo(f)
	if e := f.Close(); err == nil {
		err = e
	}
	return t.writeError(err)
}

func (t *archiver) appendTo(f view.File) error {
	newest := map[string]time.Time{}
	end := int64(0)
	for tr := tar.NewReader(f); ; {
		h, err := tr.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.fault("This does not look like a tar archive")
			return errTar
		}
		if t.count++; t.count > t.Budget.Members {
			t.fault("more than %d members (the limit members)", t.Budget.Members)
			return errTar
		}
		newest[h.Name] = h.ModTime
		at, err := f.Seek(0, io.SeekCurrent)
		if err != nil {
			return err
		}
		end = at
		if h.Typeflag == tar.TypeReg {
			end += (h.Size + 511) / 512 * 512
		}
	}
	if t.mode == "r" {
		newest = nil
	}
	if _, err := f.Seek(end, io.SeekStart); err != nil {
		return err
	}
	if err := f.Truncate(end); err != nil {
		return err
	}
	self, _ := t.FS.Real(t.Abs(t.archive))
	return t.pack(f, self, newest, end)
}
