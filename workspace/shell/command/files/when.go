package files

import (
	"errors"
	"time"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command/data"
)

var errWhen = errors.New("invalid date")

// parseWhen reads a date as date -d does, seen from now in its zone.
func parseWhen(s string, now time.Time) (time.Time, error) {
	if t, ok := data.ParseDate(s, now); ok {
		return t, nil
	}
	return now, errWhen
}
