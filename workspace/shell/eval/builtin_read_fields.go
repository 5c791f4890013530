package eval

import (
	"strings"
)

// fieldsOf takes a line apart by IFS, as read does: what a backslash protects neither
// separates nor is trimmed.
type fieldsOf struct {
	line   string
	quoted []bool
	ifs    string
	at     int
}

func (f *fieldsOf) separates(i int) bool {
	return (f.quoted == nil || !f.quoted[i]) && strings.IndexByte(f.ifs, f.line[i]) >= 0
}

func (f *fieldsOf) isBlank(i int) bool {
	return f.separates(i) && blankOf(f.ifs, f.line[i])
}

// blankOf says whether a byte is white space of an IFS.
func blankOf(ifs string, c byte) bool {
	return (c == ' ' || c == '\t' || c == '\n') && strings.IndexByte(ifs, c) >= 0
}

func (f *fieldsOf) skipBlanks() {
	for f.at < len(f.line) && f.isBlank(f.at) {
		f.at++
	}
}

// next takes one field and the separator after it: blanks of IFS around at most one other
// character of it.
func (f *fieldsOf) next() (string, bool) {
	f.skipBlanks()
	if f.at >= len(f.line) {
		return "", false
	}
	from := f.at
	for f.at < len(f.line) && !f.separates(f.at) {
		f.at++
	}
	word := f.line[from:f.at]
	f.skipBlanks()
	if f.at < len(f.line) && f.separates(f.at) {
		f.at++
		f.skipBlanks()
	}
	return word, true
}

// rest takes all that is left for the last name: one field alone loses the separator after
// it, several keep theirs.
func (f *fieldsOf) rest() string {
	f.skipBlanks()
	from := f.at
	word, _ := f.next()
	if f.at >= len(f.line) {
		return word
	}
	end := len(f.line)
	for end > from && blankOf(f.ifs, f.line[end-1]) { // even one that is protected
		end--
	}
	f.at = len(f.line)
	return f.line[from:end]
}
