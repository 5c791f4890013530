package workspace

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
)

// Range is the part of a file to read. The zero value is the first window.
type Range struct {
	StartLine int  // 1-based; 0: 1
	Lines     int  // at most; 0: as many as a window holds
	ByChars   bool // StartChar and MaxChars count, lines do not
	StartChar int  // 0-based
	MaxChars  int  // 0: as many as a window holds
}

// Reading is what a read gave. Lines are 1-based and inclusive, characters 0-based with
// an exclusive end, both without a byte order mark.
type Reading struct {
	Path       string
	Hash       string
	SizeBytes  int
	Kind       string   // media type of a file that is not text, which has none of what follows
	Picture    *Picture // of a picture that a model may be shown; nil: it is none
	Unshown    string   // why a picture may not be shown; "": it may, or it is none
	TotalLines int
	TotalChars int
	StartLine  int // 0: an empty file
	EndLine    int
	StartChar  int
	EndChar    int
	Lines      []Line // of a read by lines
	Text       string // what the range covers, exactly
	Truncated  bool   // something of the file comes after the range or was cut out of it
	CRLF       bool   // the lines read end in CR LF
	Full       bool   // the whole file has been seen at this hash
	NextLine   int    // where the next window begins; 0: nowhere
	NextChar   int    // where what was cut or comes next begins; 0: nowhere
	Observed   []journal.Observed
}

// Line is one line of a [Reading], without its line end.
type Line struct {
	Number int
	Text   string
	Left   int // characters that were cut off
	Next   int // character of the file at which they begin
}

// Read gives a window of a file of the run workspace. What was read counts for the file that
// links lead to.
func (v *View) Read(ctx context.Context, path string, r Range) (*Reading, error) {
	p, real, e, err := v.lookup(path)
	if err != nil {
		return nil, err
	}
	if e.Size > v.o.Limits.FileBytes {
		return nil, tooLarge(p, int64(e.Size), v.o.Limits)
	}
	b, err := v.content(ctx, real, e)
	if err != nil {
		return nil, err
	}
	return v.reading(p, real, e.Hash, b, r)
}

// reading gives a window of a content; key is that of the read-state.
func (v *View) reading(shown, key, hash string, content []byte, r Range) (*Reading, error) {
	out := &Reading{Path: shown, Hash: hash, SizeBytes: len(content)}
	if !IsText(content) {
		// All that can be told was told: a guarded replace may follow, a patch may not.
		out.Kind, out.Full, out.Observed = Kind(content), true, observeFull(key, hash)
		if pic, ok, err := LookAt(content); err == nil {
			out.Kind, out.Picture = pic.Media, &pic
		} else if ok {
			out.Kind, out.Unshown = pic.Media, err.Error()
		}
		return out, nil
	}
	_, body := splitBOM(string(content))
	var spans []Span
	var err error
	if r.ByChars {
		spans, err = out.byChars(body, r, v.o.Limits)
	} else {
		spans, err = out.byLines(body, r, v.o.Limits)
	}
	if err != nil {
		return nil, err
	}
	seen := FileRead{Hash: hash}
	if known, ok := v.o.Reads.Get(key); ok && known.Hash == hash {
		seen = known
	}
	seen.Fragments = join(seen.Fragments, spans...)
	out.Full = seen.covers(out.TotalChars)
	if out.Full {
		out.Observed = observeFull(key, hash)
	} else {
		out.Observed = observe(key, hash, join(nil, spans...))
	}
	return out, nil
}

// noteRoom is what a cut line takes for saying so; see renderings of read results.
const noteRoom = 120

func (out *Reading) byLines(body string, r Range, l Limits) ([]Span, error) {
	start, count := max(r.StartLine, 1), WindowLines
	if r.Lines > 0 {
		count = min(r.Lines, WindowLines)
	}
	var (
		spans       []Span
		room        = l.window()                 // characters of text
		inline      = l.InlineChars - windowRoom // characters with what stands around the text
		lineRoom    = min(LineChars, room)
		full        bool
		from, until int // bytes of the window
	)
	inline = max(inline, room)
	n, char := 0, 0
	for pos := 0; pos < len(body); {
		line, size := nextLine(body[pos:])
		chars := utf8.RuneCountInString(body[pos : pos+size])
		n++
		if n >= start && !full {
			shown, left := line, 0
			if len(line) > lineRoom {
				shown, left = Head(line, lineRoom)
			}
			width := chars
			if left > 0 {
				width = Chars(shown) + 1
			}
			around := digits(n) + 1 + escaped(shown)
			if left > 0 {
				around += noteRoom
			}
			if len(out.Lines) == count || len(out.Lines) > 0 && (width > room || width+around > inline) {
				full = true
				out.NextLine, out.Truncated = n, true
			} else {
				if len(out.Lines) == 0 {
					out.StartLine, out.StartChar, from = n, char, pos
				}
				room, inline = room-width, inline-width-around
				span := Span{char, char + chars}
				next := 0
				if left > 0 {
					span.End = char + Chars(shown)
					next = span.End
					out.Truncated = true
					if out.NextChar == 0 {
						out.NextChar = next
					}
				}
				spans = append(spans, span)
				out.Lines = append(out.Lines, Line{Number: n, Text: shown, Left: left, Next: next})
				out.EndLine, out.EndChar, until = n, char+chars, pos+size
			}
		}
		pos, char = pos+size, char+chars
	}
	out.TotalLines, out.TotalChars = n, char
	if start > max(n, 1) {
		return nil, fault.New("workspace.invalid_range", "start_line %s is past the end: %s has %s and %s",
			Grouped(start), out.Path, Count(n, "line"), Count(char, "character"))
	}
	out.setText(body[from:until])
	return spans, nil
}

func (out *Reading) byChars(body string, r Range, l Limits) ([]Span, error) {
	out.TotalChars, out.TotalLines = Chars(body), countLines(body)
	if r.StartChar > 0 && r.StartChar >= out.TotalChars {
		return nil, fault.New("workspace.invalid_range", "start_char %s is past the end: %s has %s and %s",
			Grouped(r.StartChar), out.Path, Count(out.TotalChars, "character"), Count(out.TotalLines, "line"))
	}
	limit := l.window()
	if r.MaxChars > 0 {
		limit = min(limit, r.MaxChars)
	}
	from := byteAt(body, r.StartChar)
	text, left := Head(body[from:], limit)
	if text == "" && left > 0 { // a CR LF that one character cannot hold
		text = body[from : from+2]
	}
	for Chars(text)+escaped(text) > l.InlineChars-windowRoom {
		half, _ := Head(text, Chars(text)/2)
		if half == "" {
			break
		}
		text = half
	}
	out.StartChar, out.EndChar = r.StartChar, r.StartChar+Chars(text)
	left = out.TotalChars - out.EndChar
	if left > 0 {
		out.Truncated, out.NextChar = true, out.EndChar
	}
	if body != "" {
		out.StartLine = 1 + strings.Count(body[:from], "\n")
		out.EndLine = out.StartLine + strings.Count(strings.TrimSuffix(text, "\n"), "\n")
	}
	out.setText(text)
	return []Span{{out.StartChar, out.EndChar}}, nil
}

func (out *Reading) setText(text string) {
	out.Text = text
	ends := strings.Count(text, "\n")
	out.CRLF = ends > 0 && strings.Count(text, "\r\n") == ends
}

// countLines counts lines; a last one without a line end is one.
func countLines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

// lineAt gives the 1-based line of a byte offset.
func lineAt(s string, at int) int { return 1 + strings.Count(s[:at], "\n") }

// escaped gives the characters that showing control characters adds.
func escaped(s string) int {
	shown := Visible(s)
	if len(shown) == len(s) {
		return 0
	}
	return Chars(shown) - Chars(s)
}

func digits(n int) int {
	d := 1
	for ; n >= 10; n /= 10 {
		d++
	}
	return d
}
