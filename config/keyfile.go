package config

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// MaxKeyFile is the largest key file in bytes: a key takes a line, a certificate some more.
const MaxKeyFile = 64 << 10

// ReadKeyFile gives the key that an api_key_file holds, without blanks around it. Error:
// "config.key_file" for one that cannot be read, that has more than [MaxKeyFile] bytes, or
// that is no regular file: a device or a pipe may have no end.
func ReadKeyFile(path string) (string, error) {
	data, err := readRegular(path, MaxKeyFile)
	switch {
	case errors.Is(err, errIrregular):
		return "", fault.New("config.key_file", "the key file %s is no regular file; put the key into a file", path)
	case err != nil:
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err // the path is told
		}
		return "", fault.Wrap(err, "config.key_file", "the key file %s cannot be read", path)
	case len(data) > MaxKeyFile:
		return "", fault.New("config.key_file", "the key file %s has more than %d bytes; name a file that holds the key alone", path, MaxKeyFile)
	}
	return strings.TrimSpace(string(data)), nil
}
