package text

import (
	"bytes"
	"slices"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// grepFile is the search of one file.
type grepFile struct {
	*grepper
	name     string
	left     int64 // lines that may still be selected; negative: any number
	selected int64
	line     int64    // lines before what is searched now
	offset   int64    // bytes before it
	held     [][]byte // lines before, for -B
	heldLast int64    // the number of the last of them
	pending  int      // lines behind that are still to be written
	last     int64    // number of the line that was written last
	width    int      // of numbers with -T
	checked  int      // bytes of the buffer that hold no NUL and no end of a line
	silent   bool     // a binary file: lines are counted but not written
	garbled  bool     // a line was not written because it is no text
	done     bool
	final    bool // the last line allowed was selected: only what follows it is written
}

func walkHit(n int) *limits.Hit {
	return &limits.Hit{Name: "walk", Value: int64(n), Unit: "files visited", Mend: "Search in a smaller directory."}
}

// readMore says whether to wait for more of a pipe before searching: not when each line is
// wanted at once.
func (s *grepFile) readMore() bool { return !s.buffered && s.left < 0 && !s.quiet && !s.list }

// piece searches the whole lines of a buffer and leaves the rest in it.
func (s *grepFile) piece(buf *[]byte, atEnd bool) error {
	b := *buf
	if !s.silent && s.binary != "text" && s.end != 0 && bytes.IndexByte(b[s.checked:], 0) >= 0 {
		if s.binary == "without-match" {
			s.done = true
			return nil
		}
		s.silent = true
	}
	whole := len(b)
	if !atEnd {
		whole = 0
		if i := bytes.LastIndexByte(b[s.checked:], s.end); i >= 0 {
			whole = s.checked + i + 1
		}
	}
	if whole > 0 {
		if err := s.lines(b[:whole]); err != nil {
			return err
		}
		s.offset += int64(whole)
		*buf = append(b[:0], b[whole:]...)
	}
	s.checked = len(*buf)
	return nil
}

// lines searches lines that are all there.
func (s *grepFile) lines(b []byte) error {
	for at := 0; at < len(b) && !s.done; {
		start, end, ok := len(b), len(b), false
		if !s.none {
			var err error
			if start, end, ok, err = s.re.Record(b, at); err != nil {
				return err
			}
			if !ok {
				start, end = len(b), len(b)
			}
		}
		if s.invert {
			s.each(b, at, start, s.take)
		} else {
			s.skip(b, at, start)
		}
		if s.done {
			return s.enough()
		}
		if ok {
			if s.invert {
				s.pass(b, start, end)
			} else {
				s.take(b, start, end)
			}
		}
		at = end + 1
	}
	return s.enough()
}

// enough says whether the whole run can end.
func (s *grepFile) enough() error {
	if s.quiet && s.selected > 0 || s.c.Out.Err() != nil {
		return errEnough
	}
	return nil
}

// each calls do for the lines of b from one offset to another.
func (s *grepFile) each(b []byte, from, to int, do func(b []byte, from, to int)) {
	for from < to && !s.done {
		end := to
		if i := bytes.IndexByte(b[from:to], s.end); i >= 0 {
			end = from + i
		}
		do(b, from, end)
		from = end + 1
	}
}

// skip passes over lines that are not selected.
func (s *grepFile) skip(b []byte, from, to int) {
	if from >= to {
		return
	}
	if s.context {
		s.each(b, from, to, s.pass)
		return
	}
	if s.numbers {
		s.line += int64(bytes.Count(b[from:to], []byte{s.end}))
		if b[to-1] != s.end {
			s.line++
		}
	}
}

// pass takes a line that is not selected: it may stand around one that is.
func (s *grepFile) pass(b []byte, from, to int) {
	s.line++
	switch {
	case s.pending > 0:
		s.pending--
		s.write(b, from, to, '-')
	case s.final:
		s.done = true
	case s.before > 0 && s.context:
		if len(s.held) == s.before {
			copy(s.held, s.held[1:])
			s.held = s.held[:len(s.held)-1]
		}
		s.held = append(s.held, slices.Clone(b[from:to]))
		s.heldLast = s.line
	}
	if s.final && s.pending == 0 {
		s.done = true
	}
}

// take takes a line that is selected.
func (s *grepFile) take(b []byte, from, to int) {
	if s.final {
		s.done = true
		return
	}
	s.line++
	s.selected++
	s.code = 0
	if s.list || s.listNot || s.quiet {
		s.done = true
		return
	}
	if !s.count && !s.silent {
		s.parted()
		s.writeHeld()
		s.write(b, from, to, ':')
		s.pending = s.after
	}
	if s.silent && !s.count {
		s.done = true // the one thing left to say is that it matches
	}
	if s.left > 0 {
		if s.left--; s.left == 0 {
			s.final = true
			s.done = s.done || s.pending == 0
		}
	}
}
