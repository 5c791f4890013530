package data

import (
	"strconv"
	"strings"
)

// contextBlock reads one half of a hunk: its lines with ' ', '!', '-' or '+'.
func (r *patchReader) contextBlock(count int, marks string) []patchLine {
	var lines []patchLine
	for r.at < len(r.lines) && len(lines) <= count {
		line := r.peek()
		if line[0] == '\\' && len(lines) > 0 {
			lines[len(lines)-1].text = strings.TrimSuffix(lines[len(lines)-1].text, "\n")
			r.at++
			continue
		}
		if len(lines) == count || len(line) < 2 || !strings.ContainsRune(marks, rune(line[0])) || line[1] != ' ' && line[1] != '\n' || strings.HasPrefix(line, "***") {
			break
		}
		lines = append(lines, patchLine{line[0], withNewline(strings.TrimPrefix(line[1:], " "))})
		r.at++
	}
	return lines
}

// contextRange reads "4,6" as the first line and how many there are.
func contextRange(text string) (at, count int, ok bool) {
	first, last, both := strings.Cut(text, ",")
	at, err := strconv.Atoi(first)
	if err != nil {
		return 0, 0, false
	}
	if !both {
		if at == 0 {
			return 0, 0, true
		}
		return at, 1, true
	}
	end, err := strconv.Atoi(last)
	if err == nil && end < at { // nothing, after line at
		return at, 0, true
	}
	return at, end - at + 1, err == nil
}

func (r *patchReader) context(p *filePatch) {
	var h patchHunk
	h.function = strings.TrimRight(strings.TrimPrefix(r.peek(), "***************"), "\r\n")
	r.at++
	var ok bool
	head := strings.TrimRight(r.peek(), "\r\n")
	if !strings.HasPrefix(head, "*** ") {
		r.malformed()
		return
	}
	if h.oldAt, h.oldCount, ok = contextRange(strings.TrimSuffix(strings.TrimPrefix(head, "*** "), " ****")); !ok {
		r.malformed()
		return
	}
	r.at++
	old := r.contextBlock(h.oldCount, " !-")
	head = strings.TrimRight(r.peek(), "\r\n")
	if !strings.HasPrefix(head, "--- ") {
		r.malformed()
		return
	}
	if h.newAt, h.newCount, ok = contextRange(strings.TrimSuffix(strings.TrimPrefix(head, "--- "), " ----")); !ok {
		r.malformed()
		return
	}
	r.at++
	fresh := r.contextBlock(h.newCount, " !+")
	h.lines = weave(old, fresh)
	if len(old) == 0 && h.oldCount > 0 {
		h.oldCount = countLines(h.lines, '+')
	}
	if len(fresh) == 0 && h.newCount > 0 {
		h.newCount = countLines(h.lines, '-')
	}
	p.hunks = append(p.hunks, h)
}

// countLines counts the lines without an operation.
func countLines(lines []patchLine, without byte) int {
	n := 0
	for _, l := range lines {
		if l.op != without {
			n++
		}
	}
	return n
}

// weave makes one list of both halves of a hunk. A half that is not there had no changes.
func weave(old, fresh []patchLine) []patchLine {
	var all []patchLine
	i, j := 0, 0
	for i < len(old) || j < len(fresh) {
		switch {
		case i < len(old) && old[i].op != ' ':
			all = append(all, patchLine{'-', old[i].text})
			i++
		case j < len(fresh) && fresh[j].op != ' ':
			all = append(all, patchLine{'+', fresh[j].text})
			j++
		case i < len(old):
			all = append(all, old[i])
			i++
			j = min(j+1, len(fresh))
		default:
			all = append(all, fresh[j])
			j++
		}
	}
	return all
}

// normalAhead says whether a change of the normal form begins here: 3c4, 5,6d4, 7a8,9.
func (r *patchReader) normalAhead() bool {
	line := strings.TrimRight(r.peek(), "\r\n")
	at := strings.IndexAny(line, "acd")
	if at <= 0 || at == len(line)-1 {
		return false
	}
	return strings.Trim(line[:at], "0123456789,") == "" && strings.Trim(line[at+1:], "0123456789,") == ""
}

func (r *patchReader) normal(p *filePatch) {
	line := strings.TrimRight(r.peek(), "\r\n")
	at := strings.IndexAny(line, "acd")
	var h patchHunk
	var okOld, okNew bool
	h.oldAt, h.oldCount, okOld = contextRange(line[:at])
	h.newAt, h.newCount, okNew = contextRange(line[at+1:])
	if !okOld || !okNew {
		r.malformed()
		return
	}
	switch line[at] {
	case 'a':
		h.oldCount = 0
	case 'd':
		h.newCount = 0
	}
	r.at++
	take := func(mark, op byte, count int) {
		for n := 0; n < count && r.err == ""; n++ {
			line := r.peek()
			if len(line) < 2 || line[0] != mark {
				r.malformed()
				return
			}
			h.lines = append(h.lines, patchLine{op, withNewline(strings.TrimPrefix(line[1:], " "))})
			r.at++
		}
		if strings.HasPrefix(r.peek(), "\\") && len(h.lines) > 0 {
			h.lines[len(h.lines)-1].text = strings.TrimSuffix(h.lines[len(h.lines)-1].text, "\n")
			r.at++
		}
	}
	take('<', '-', h.oldCount)
	if line[at] == 'c' {
		if !strings.HasPrefix(r.peek(), "---") {
			r.malformed()
			return
		}
		r.at++
	}
	take('>', '+', h.newCount)
	p.hunks = append(p.hunks, h)
}
