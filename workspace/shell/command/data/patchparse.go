package data

import (
	"strconv"
	"strings"
	"time"
)

// filePatch is what a patch does to one file.
type filePatch struct {
	form         byte // 'u', 'c', 'n'
	oldName      string
	newName      string
	index        string // of a line "Index: NAME"
	oldNone      bool   // the old file is absent: the patch creates it
	newNone      bool   // the new file is absent: the patch removes it
	rename, copy bool
	mode         string // of a created file, from git
	header       []string
	line         int // of the header, in the input
	hunks        []patchHunk
}

// patchHunk is one place of a patch.
type patchHunk struct {
	oldAt, oldCount, newAt, newCount int
	lines                            []patchLine
	function                         string
}

// patchLine is a line with ' ', '-' or '+'. The text ends in its newline.
type patchLine struct {
	op   byte
	text string
}

// patchReader reads a patch.
type patchReader struct {
	lines []string
	at    int
	err   string // a hunk that is malformed
}

func (r *patchReader) peek() string {
	if r.at < len(r.lines) {
		return r.lines[r.at]
	}
	return ""
}

// next gives the patch of the next file, or nil when there is no more.
func (r *patchReader) next() *filePatch {
	p := &filePatch{line: r.at + 1}
	from := r.at
	for r.at < len(r.lines) && r.err == "" {
		line := strings.TrimRight(r.lines[r.at], "\r\n")
		following := ""
		if r.at+1 < len(r.lines) {
			following = strings.TrimRight(r.lines[r.at+1], "\r\n")
		}
		switch {
		case strings.HasPrefix(line, "--- ") && strings.HasPrefix(following, "+++ "):
			p.form, p.line = 'u', r.at+1
			p.oldName, p.oldNone = headerName(line[4:])
			p.newName, p.newNone = headerName(following[4:])
			r.at += 2
			p.header = r.lines[from:r.at]
			for strings.HasPrefix(r.peek(), "@@ -") && r.err == "" {
				r.unified(p)
			}
			return r.done(p)
		case strings.HasPrefix(line, "*** ") && strings.HasPrefix(following, "--- ") && r.at+2 < len(r.lines) && strings.HasPrefix(r.lines[r.at+2], "***************"):
			p.form, p.line = 'c', r.at+1
			p.oldName, p.oldNone = headerName(line[4:])
			p.newName, p.newNone = headerName(following[4:])
			r.at += 2
			p.header = r.lines[from:r.at]
			for strings.HasPrefix(r.peek(), "***************") && r.err == "" {
				r.context(p)
			}
			return r.done(p)
		case strings.HasPrefix(line, "@@ -"):
			p.form = 'u'
			p.header = r.lines[from:r.at]
			for strings.HasPrefix(r.peek(), "@@ -") && r.err == "" {
				r.unified(p)
			}
			return r.done(p)
		case strings.HasPrefix(line, "Index: "):
			p.index = strings.TrimSpace(line[7:])
		case strings.HasPrefix(line, "diff --git "):
			if p.rename || p.copy || p.oldNone || p.newNone {
				return r.done(p)
			}
			p = &filePatch{line: r.at + 1}
			if a, b, ok := strings.Cut(line[len("diff --git "):], " "); ok {
				p.oldName, p.newName = a, b
			}
		case strings.HasPrefix(line, "new file mode "):
			p.oldNone, p.mode = true, strings.TrimSpace(line[len("new file mode "):])
		case strings.HasPrefix(line, "deleted file mode "):
			p.newNone = true
		case strings.HasPrefix(line, "rename from "):
			p.rename, p.oldName = true, "a/"+line[len("rename from "):]
		case strings.HasPrefix(line, "rename to "):
			p.newName = "b/" + line[len("rename to "):]
		case strings.HasPrefix(line, "copy from "):
			p.copy, p.oldName = true, "a/"+line[len("copy from "):]
		case strings.HasPrefix(line, "copy to "):
			p.newName = "b/" + line[len("copy to "):]
		default:
			if r.normalAhead() {
				p.form = 'n'
				p.header = r.lines[from:r.at]
				for r.normalAhead() && r.err == "" {
					r.normal(p)
				}
				return r.done(p)
			}
		}
		r.at++
	}
	if p.rename || p.copy || p.oldNone || p.newNone {
		return r.done(p)
	}
	return nil
}

func (r *patchReader) done(p *filePatch) *filePatch {
	if len(p.hunks) > 0 && p.form != 'n' {
		first := p.hunks[0]
		p.oldNone = p.oldNone || first.oldAt == 0 && first.oldCount == 0 && p.oldName == "/dev/null"
		p.newNone = p.newNone || first.newAt == 0 && first.newCount == 0 && p.newName == "/dev/null"
	}
	return p
}

// headerName gives the name of a header line, and whether it says that the file is absent.
func headerName(text string) (name string, none bool) {
	name, stamp, _ := strings.Cut(text, "\t")
	if name == text {
		// Without a tab the name ends at a blank before a date.
		if at := strings.Index(text, "  "); at > 0 {
			name = text[:at]
		}
	}
	if len(name) > 1 && name[0] == '"' {
		if unquoted, err := strconv.Unquote(name); err == nil {
			name = unquoted
		}
	}
	for _, layout := range []string{"2006-01-02 15:04:05.999999999 -0700", "Mon Jan _2 15:04:05 2006"} {
		if t, err := time.Parse(layout, stamp); err == nil && t.Unix() == 0 {
			none = true
		}
	}
	return name, none || name == "/dev/null"
}

// numbers reads "12,3" as two numbers; the second is 1 when it is absent.
func numbers(text string) (at, count int, ok bool) {
	first, second, both := strings.Cut(text, ",")
	at, err := strconv.Atoi(first)
	count = 1
	if err == nil && both {
		count, err = strconv.Atoi(second)
	}
	return at, count, err == nil && at >= 0 && count >= 0 && count < 1<<24
}

func (r *patchReader) malformed() {
	r.err = "malformed patch at line " + strconv.Itoa(r.at+1) + ": " + r.peek()
}

func (r *patchReader) unified(p *filePatch) {
	head, function, ok := strings.Cut(strings.TrimRight(r.peek(), "\r\n")[4:], " @@")
	old, fresh, both := strings.Cut(head, " +")
	var h patchHunk
	var okOld, okNew bool
	h.oldAt, h.oldCount, okOld = numbers(old)
	h.newAt, h.newCount, okNew = numbers(fresh)
	h.function = function
	if !ok || !both || !okOld || !okNew {
		r.malformed()
		return
	}
	r.at++
	for olds, news := h.oldCount, h.newCount; olds > 0 || news > 0 || strings.HasPrefix(r.peek(), "\\"); {
		line := r.peek()
		op := byte(' ')
		switch {
		case r.at >= len(r.lines):
			if olds == news && olds <= 3 { // trailing blank lines of context were lost
				for ; olds > 0; olds-- {
					h.lines = append(h.lines, patchLine{' ', "\n"})
				}
				news = 0
				continue
			}
			r.err = "unexpected end of file in patch"
			return
		case line == "\n" || line == "\r\n" || line[0] == '\t':
			line = " " + line
		case line[0] == '\\':
			if n := len(h.lines); n > 0 {
				h.lines[n-1].text = strings.TrimSuffix(h.lines[n-1].text, "\n")
			}
			r.at++
			continue
		default:
			op = line[0]
		}
		switch op {
		case ' ':
			olds--
			news--
		case '-':
			olds--
		case '+':
			news--
		default:
			r.malformed()
			return
		}
		if olds < 0 || news < 0 {
			r.malformed()
			return
		}
		h.lines = append(h.lines, patchLine{op, withNewline(line[1:])})
		r.at++
	}
	p.hunks = append(p.hunks, h)
}

func withNewline(text string) string {
	if strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}
