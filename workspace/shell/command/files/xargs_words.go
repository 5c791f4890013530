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
