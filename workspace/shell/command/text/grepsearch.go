package text

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

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
	isBinary bool
	silent   bool // a binary file: lines are counted but not written
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
func (s *grepFile) piece(buf *[]byte, fresh int, atEnd bool) error {
	b := *buf
	if !s.isBinary && s.binary != "text" && s.end != 0 && bytes.IndexByte(b[min(fresh, len(b)):], 0) >= 0 {
		s.isBinary = true
		if s.binary == "without-match" {
			s.done = true
			return nil
		}
		s.silent = true
	}
	whole := len(b)
	if !atEnd {
		whole = bytes.LastIndexByte(b, s.end) + 1
	}
	if whole > 0 {
		if err := s.lines(b[:whole]); err != nil {
			return err
		}
		s.offset += int64(whole)
	}
	*buf = append(b[:0], b[whole:]...)
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
		if s.binary == "binary" && s.end != 0 && !utf8.Valid(b[from:to]) {
			s.isBinary, s.silent = true, true
		} else {
			s.parted()
			s.writeHeld()
			s.write(b, from, to, ':')
			s.pending = s.after
		}
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

// parted writes the separator when lines were left out before the next group.
func (s *grepFile) parted() {
	first := s.line - int64(len(s.held))
	if s.context && s.separate && s.wrote && (s.last == 0 || first > s.last+1) {
		s.colored("36", s.separator)
		s.c.Out.WriteByte('\n')
	}
}

func (s *grepFile) writeHeld() {
	number := s.line
	for i, held := range s.held {
		s.line = s.heldLast - int64(len(s.held)-1-i)
		s.writeContext(held)
	}
	s.line = number
	s.held = s.held[:0]
}

func (s *grepFile) writeContext(line []byte) { s.write(line, 0, len(line), '-') }

// write writes a line, or with -o the matches in it.
func (s *grepFile) write(b []byte, from, to int, sep byte) {
	s.wrote, s.last = true, s.line
	line := b[from:to]
	if s.only {
		if sep == ':' && !s.invert {
			s.matches(line, int64(from))
		}
		return
	}
	s.prefix(sep, int64(from))
	if s.color && (sep == ':') != s.invert {
		s.paint(line)
	} else {
		s.c.Out.Write(line)
	}
	s.c.Out.WriteByte(s.end)
	s.flush()
}

func (s *grepFile) flush() {
	if s.buffered {
		s.c.Out.Flush()
	}
}

// matches writes each match that is not empty as a line.
func (s *grepFile) matches(line []byte, offset int64) {
	s.spans(line, func(start, end int) {
		s.prefix(':', offset+int64(start))
		s.colored("01;31", string(line[start:end]))
		s.c.Out.WriteByte(s.end)
	})
	s.flush()
}

func (s *grepFile) spans(line []byte, do func(start, end int)) {
	for at := 0; at <= len(line); {
		start, end, ok, err := s.re.Span(line, at)
		if !ok || err != nil {
			return
		}
		if end == start {
			at = end + 1
			continue
		}
		do(start, end)
		at = end
	}
}

// paint writes a line with its matches in color.
func (s *grepFile) paint(line []byte) {
	at := 0
	s.spans(line, func(start, end int) {
		s.c.Out.Write(line[at:start])
		s.colored("01;31", string(line[start:end]))
		at = end
	})
	s.c.Out.Write(line[at:])
}

func (s *grepFile) colored(color, text string) {
	if !s.color || text == "" {
		s.c.Out.WriteString(text)
		return
	}
	s.c.Out.WriteString("\x1b[" + color + "m\x1b[K" + text + "\x1b[m\x1b[K")
}

// prefix writes what stands before a line.
func (s *grepFile) prefix(sep byte, offset int64) {
	if s.names {
		s.colored("35", s.name)
		if s.nameEnd == 0 {
			s.c.Out.WriteByte(0)
		} else {
			s.colored("36", string(sep))
		}
	}
	if s.numbers {
		s.number(s.line)
		s.colored("36", string(sep))
	}
	if s.offsets {
		s.number(s.offset + offset)
		s.colored("36", string(sep))
	}
	if s.tab && (s.names || s.numbers || s.offsets) {
		s.c.Out.WriteByte('\t')
	}
}

func (s *grepFile) number(n int64) {
	text := strconv.FormatInt(n, 10)
	if s.tab {
		text = fmt.Sprintf("%*d", s.width, n)
	}
	s.colored("32", text)
}

// finish writes what is said about the file as a whole.
func (s *grepFile) finish() error {
	switch {
	case s.list && s.selected > 0, s.listNot && s.selected == 0:
		s.colored("35", s.name)
		end := byte('\n')
		if s.nameEnd == 0 {
			end = 0
		}
		s.c.Out.WriteByte(end)
	case s.count && !s.quiet && !s.list && !s.listNot:
		if s.names {
			s.colored("35", s.name)
			if s.nameEnd == 0 {
				s.c.Out.WriteByte(0)
			} else {
				s.colored("36", ":")
			}
		}
		s.c.Out.WriteString(strconv.FormatInt(s.selected, 10) + "\n")
	case s.silent && s.selected > 0 && !s.quiet && !s.list && !s.listNot:
		s.c.Out.Flush()
		s.c.Errorf("%s: binary file matches", s.name)
	}
	return s.enough()
}
