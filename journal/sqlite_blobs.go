package journal

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"zombiezen.com/go/sqlite"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// largeBlob is the size from which a blob is a file of its own (journal spec §7).
const largeBlob = 64 << 10

const blobsName = "blobs"

// PutBlob implements [Store].
func (s *SQLite) PutBlob(ctx context.Context, data []byte) (string, error) {
	if len(data) > MaxBlob {
		return "", tooLarge("a blob", len(data), MaxBlob)
	}
	if s.closed() {
		return "", closedStore("put blob")
	}
	blob := []Blob{{Hash: hashBytes(data), Data: string(data)}}
	if len(data) >= largeBlob {
		return blob[0].Hash, s.putLarge(blob)
	}
	err := s.transaction(ctx, "put blob", blob[0].Hash, func(c *sqlite.Conn) error { return putSmall(c, &blob[0]) })
	if err != nil {
		return "", err
	}
	return blob[0].Hash, nil
}

// putSmall stores a blob in the database; large ones are left out.
func putSmall(c *sqlite.Conn, b *Blob) error {
	if len(b.Data) >= largeBlob {
		return nil
	}
	key, err := hex.DecodeString(b.Hash)
	if err != nil {
		return err
	}
	return execute(c, "INSERT OR IGNORE INTO blob (hash, data) VALUES (?, ?)", key, []byte(b.Data))
}

// putLarge stores the large ones of blobs as files. They are on disk before the batch
// that names them is written.
func (s *SQLite) putLarge(blobs []Blob) error {
	for i := range blobs {
		if b := &blobs[i]; len(b.Data) >= largeBlob {
			if err := s.putFile(b); err != nil {
				return appendFailed(err).With("put blob", b.Hash)
			}
		}
	}
	return nil
}

func (s *SQLite) blobPath(hash string) string {
	return filepath.Join(s.dir, blobsName, hash[:2], hash[2:])
}

func (s *SQLite) putFile(b *Blob) (err error) {
	path := s.blobPath(b.Hash)
	if old, err := os.ReadFile(path); err == nil && hashBytes(old) == b.Hash {
		return nil // one that is damaged is written anew
	}
	dir := filepath.Dir(path)
	if err := s.makeDir(dir); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".new-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if _, err := io.Copy(f, strings.NewReader(b.Data)); err != nil {
		return err
	}
	if s.options.Durability == DurabilityFull {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return s.syncDir(dir)
}

// makeDir makes the directory of a blob; its name is on disk before any file in it.
func (s *SQLite) makeDir(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := s.syncDir(filepath.Dir(dir)); err != nil {
		return err
	}
	return s.syncDir(s.dir)
}

func (s *SQLite) syncDir(dir string) error {
	if s.options.Durability != DurabilityFull {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// GetBlob implements [Store].
func (s *SQLite) GetBlob(ctx context.Context, hash string) (data []byte, err error) {
	err = s.reading(ctx, "get blob", hash, func(c *sqlite.Conn) error {
		data, err = s.blob(c, hash)
		return err
	})
	return data, err
}

// blob reads and verifies a blob.
func (s *SQLite) blob(c *sqlite.Conn, hash string) (data []byte, err error) {
	key, err := hex.DecodeString(hash)
	if err != nil || len(key) != 32 || hash != strings.ToLower(hash) {
		return nil, blobNotFound(hash)
	}
	found := false
	err = query(c, "SELECT data FROM blob WHERE hash = ?", func(q *sqlite.Stmt) error {
		data, found = column(q, 0, nil), true
		return nil
	}, key)
	if err != nil {
		return nil, err
	}
	if !found {
		data, err = os.ReadFile(s.blobPath(hash))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, blobNotFound(hash)
		}
		if err != nil {
			return nil, fault.Wrap(err, "journal.damaged", "the blob cannot be read").With("get blob", hash)
		}
	}
	if got := hashBytes(data); got != hash {
		return nil, fault.Wrap(fmt.Errorf("its bytes have the hash %s", got), "journal.damaged", "the blob is damaged").With("get blob", hash)
	}
	return data, nil
}
