package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// publisher writes what a run publishes to a file. What the file holds is a function of
// the journal of the run, so that a commit may be sent again by any process.
type publisher struct {
	file  string
	out   io.Writer     // of the program: a file that is it is written through it
	store journal.Store // set before a run begins

	mu sync.Mutex
}

// newPublisher checks that the file can become one.
func newPublisher(file string, out io.Writer) (*publisher, error) {
	if info, err := os.Stat(file); err == nil {
		if info.IsDir() {
			return nil, usage("--out %s is a directory; name a file", file)
		}
		return &publisher{file: file, out: out}, nil
	}
	dir := filepath.Dir(linked(file))
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, usage("--out %s: there is no directory %s; make it first", file, dir)
	}
	return &publisher{file: file, out: out}, nil
}

// commit implements the handler of commits of [swarm.Options].
func (p *publisher) commit(ctx context.Context, c swarm.Commit) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	failed := func(err error) (string, error) { return "", fmt.Errorf("publish to %s: %w", p.file, err) }
	if info, err := os.Stat(p.file); err == nil && (!info.Mode().IsRegular() || device(p.file)) {
		if err := p.through(info, c.Content); err != nil {
			return failed(err)
		}
		return p.file, nil
	}
	data, err := p.whole(ctx, &c)
	if err != nil {
		return failed(err)
	}
	if err := replace(linked(p.file), data); err != nil {
		return failed(err)
	}
	return p.file, nil
}

// through writes to what is no plain file, such as a pipe, a terminal or /dev/stdout.
func (p *publisher) through(info os.FileInfo, data []byte) error {
	if f, ok := p.out.(*os.File); ok {
		if own, err := f.Stat(); err == nil && os.SameFile(own, info) {
			return writeSafely(f, data)
		}
	}
	f, err := os.OpenFile(p.file, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	err = writeSafely(f, data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// writeSafely writes the exact bytes, but to a terminal only what is safe there.
func writeSafely(f *os.File, data []byte) error {
	if isTerminal(f) {
		data = []byte(shown(string(data)))
	}
	_, err := f.Write(data)
	return err
}

// whole gives everything that the run has published up to a commit and with it: a replace
// begins anew, an append extends.
func (p *publisher) whole(ctx context.Context, c *swarm.Commit) ([]byte, error) {
	if c.Mode != "append" {
		return c.Content, nil
	}
	records, err := p.read(ctx, c.Run, journal.TCommitRequested, journal.TCommitSettled)
	if err != nil {
		return nil, err
	}
	done := make(map[string]bool)
	for i := range records {
		if m, ok := records[i].Payload.(*journal.CommitSettled); ok && m.Outcome == journal.Completed {
			done[m.Commit] = true
		}
	}
	var hashes []string
	for i := range records {
		m, ok := records[i].Payload.(*journal.CommitRequested)
		if !ok {
			continue
		}
		if m.Commit == c.ID {
			break
		}
		if !done[m.Commit] {
			continue
		}
		if m.Mode != "append" {
			hashes = nil
		}
		hashes = append(hashes, m.Hash)
	}
	var all bytes.Buffer
	if len(hashes) > 0 {
		texts, err := p.texts(ctx, c.Run)
		if err != nil {
			return nil, err
		}
		for _, hash := range hashes {
			text, ok := texts[hash]
			if !ok {
				blob, err := p.store.GetBlob(ctx, hash)
				if err != nil {
					return nil, err
				}
				text = string(blob)
			}
			all.WriteString(text)
		}
	}
	all.Write(c.Content)
	return all.Bytes(), nil
}

// texts gives the contents of files that stand in the records of a run, by hash.
func (p *publisher) texts(ctx context.Context, run string) (map[string]string, error) {
	records, err := p.read(ctx, run, journal.TFileChanged)
	if err != nil {
		return nil, err
	}
	out := make(map[string]string)
	for i := range records {
		if m, ok := records[i].Payload.(*journal.FileChanged); ok && m.Content.Text != "" {
			out[m.New] = m.Content.Text
		}
	}
	return out, nil
}

// read gives all records of some types, without the texts that are blobs.
func (p *publisher) read(ctx context.Context, run string, types ...journal.Type) ([]journal.Record, error) {
	var all []journal.Record
	for from := int64(1); ; {
		page, err := p.store.Read(ctx, run, journal.Query{From: from, Types: types, NoBlobs: true})
		if err != nil || len(page) == 0 {
			return all, err
		}
		all = append(all, page...)
		from = page[len(page)-1].Seq + 1
	}
}

// linked gives the file that a path leads to by links, whether or not it is there.
func linked(file string) string {
	for range 40 { // as many links as a path may lead through
		target, err := os.Readlink(file)
		if err != nil {
			return file
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(file), target)
		}
		file = target
	}
	return file
}

// device says whether a path leads through the directories of devices: then a plain file
// behind it is one that somebody has opened and that must stay in its place.
func device(file string) bool {
	for range 40 {
		abs, err := filepath.Abs(file)
		if err != nil || strings.HasPrefix(abs, "/dev/") || strings.HasPrefix(abs, "/proc/") {
			return err == nil
		}
		target, err := os.Readlink(file)
		if err != nil {
			return false
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(file), target)
		}
		file = target
	}
	return false
}

// replace writes a file aside and renames it, so that readers see all or nothing. One that
// is there keeps its mode.
func replace(file string, data []byte) error {
	mode := os.FileMode(0o644)
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".swarm-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
