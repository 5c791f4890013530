package data

import "time"

// ParseDate gives the time that a text describes in the words of date -d, seen from now in
// its zone; for the other commands that take such a text.
func ParseDate(s string, now time.Time) (time.Time, bool) { return parseDate(s, now) }
