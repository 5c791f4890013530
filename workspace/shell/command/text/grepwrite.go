package text

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

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
	if !s.readable(line) {
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

// readable says whether a text may be written. What is not UTF-8 is left out of what is
// written of a file that is not said to be text.
func (s *grepFile) readable(text []byte) bool {
	if s.binary == "text" || s.end == 0 || utf8.Valid(text) {
		return true
	}
	s.garbled = true
	return false
}

func (s *grepFile) flush() {
	if s.buffered {
		s.c.Out.Flush()
	}
}

// matches writes each match that is not empty as a line.
func (s *grepFile) matches(line []byte, offset int64) {
	s.spans(line, func(start, end int) {
		if !s.readable(line[start:end]) {
			return
		}
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
	case (s.silent || s.garbled) && s.selected > 0 && !s.quiet && !s.list && !s.listNot:
		s.c.Out.Flush()
		s.c.Errorf("%s: binary file matches", s.name)
	}
	return s.enough()
}
