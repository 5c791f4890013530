package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// wordReader reads arguments that are separated by blanks and newlines, with quotes and
// backslashes, or whole lines of them.
type wordReader struct {
	in    *bufio.Reader
	lines bool   // a line is one argument
	eof   string // an argument that ends the input
	ends  bool   // eof counts
	over  bool
}

func (w *wordReader) next() (word, error) {
	if w.over {
		return word{}, io.EOF
	}
	got, err := w.read()
	if err == nil && w.ends && w.eof != "" && got.text == w.eof {
		w.over = true
		return word{}, io.EOF
	}
	return got, err
}

func (w *wordReader) read() (word, error) {
	var b strings.Builder
	started := false
	for {
		c, err := w.in.ReadByte()
		if err == io.EOF {
			w.over = true
			if !started {
				return word{}, io.EOF
			}
			return word{b.String(), true}, nil
		}
		if err != nil {
			return word{}, err
		}
		switch {
		case c == '\n':
			if started {
				return word{b.String(), true}, nil
			}
		case (c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r') && (!w.lines || !started):
			if started {
				return word{b.String(), w.skipBlanks()}, nil
			}
		case c == '\'' || c == '"':
			started = true
			quotedText, err := w.quoted(c)
			if err != nil {
				return word{}, err
			}
			b.WriteString(quotedText)
		case c == '\\':
			started = true
			next, err := w.in.ReadByte()
			if err != nil {
				next = '\\'
			}
			b.WriteByte(next)
		default:
			started = true
			b.WriteByte(c)
		}
	}
}

func (w *wordReader) quoted(quote byte) (string, error) {
	var b strings.Builder
	for {
		c, err := w.in.ReadByte()
		if err == io.EOF || c == '\n' {
			kind := "double"
			if quote == '\'' {
				kind = "single"
			}
			return "", fmt.Errorf("unmatched %s quote; by default quotes are special to xargs unless you use the -0 option", kind)
		}
		if err != nil {
			return "", err
		}
		if c == quote {
			return b.String(), nil
		}
		b.WriteByte(c)
	}
}

// skipBlanks says whether a word that ended with a blank is the last of its line: a line
// that ends with a blank goes on in the next one.
func (w *wordReader) skipBlanks() bool {
	for {
		c, err := w.in.ReadByte()
		if errors.Is(err, io.EOF) {
			return true
		}
		if err != nil {
			return false
		}
		if c != ' ' && c != '\t' {
			_ = w.in.UnreadByte() // a byte was just read
			return false
		}
	}
}

// word is an argument that was read. lineEnd: it is the last one of its line.
type word struct {
	text    string
	lineEnd bool
}

// words gives the function that reads the next argument; its error is io.EOF at the end.
func (x *xargs) words(in io.Reader) (func() (word, error), error) {
	br := bufio.NewReader(in)
	delimiter := x.opt.Last("0", "d")
	if delimiter == "" {
		w := &wordReader{in: br, lines: x.replace != "", eof: x.opt.Value("E", x.opt.Value("e", "")), ends: x.opt.Has("E", "e")}
		return w.next, nil
	}
	sign := byte(0)
	if delimiter == "d" {
		value := x.opt.Value("d", "")
		unescaped := expandStat(value, true, func(flags, letter string) string { return "%" + flags + letter })
		if len(unescaped) != 1 {
			return nil, fmt.Errorf("invalid input delimiter specification %s: the delimiter must be either a single character or an escape sequence starting with \\", value)
		}
		sign = unescaped[0]
	}
	return func() (word, error) {
		s, err := br.ReadString(sign)
		if err == io.EOF && s == "" {
			return word{}, io.EOF
		}
		if err != nil && err != io.EOF {
			return word{}, err
		}
		return word{strings.TrimSuffix(s, string([]byte{sign})), true}, nil
	}, nil
}
