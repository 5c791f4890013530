package workspace

import (
	"cmp"
	"context"
	"errors"
	"path"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// Bounds of what a search shows (tools spec §5).
const (
	SnippetChars = 300 // of one line, round the first match
	MaxContext   = 5   // lines before and after a hit
)

// SearchMode is how a query is meant.
type SearchMode string

// Modes of a search.
const (
	PlainWords   SearchMode = "plain"   // words, ranked
	PlainLiteral SearchMode = "literal" // exactly this text, in order of path and line
	Regex        SearchMode = "regex"   // RE2 on one line at a time, in order of path and line
)

// SearchQuery asks for lines of files.
type SearchQuery struct {
	Query      string
	Mode       SearchMode
	Path       string // where to begin, a file or a directory; "": everywhere
	Glob       string // only files that match; "": all
	IgnoreCase bool   // words always ignore it
	Context    int    // lines before and after a hit, at most MaxContext
	Limit      int    // of hits
}

// Hit is one line that matched.
type Hit struct {
	Path      string
	Line      int // that matched, 1-based
	StartLine int // of Lines
	EndLine   int
	Lines     []string // with context, each cut to SnippetChars
	Score     float64  // share of the words found; PlainWords only
	Hash      string   // of the file
}

// Found is what a search gave.
type Found struct {
	Hits      []Hit
	Total     int // lines that matched, also those over the limit
	Searched  int // files
	Skipped   int // files that are not text, too large, too deep or not readable
	Truncated bool
	Bounds    []string // what stopped the search before its end, in words
}

// source is one file that a search may look into.
type source struct {
	path string
	hash string // "": of the content
	read func() ([]byte, error)
}

// Search looks through the visible texts of the run workspace. Without a path tool
// results and skills are left out. What links lead to is found where it is.
func (v *View) Search(ctx context.Context, q SearchQuery) (*Found, error) {
	start := ""
	if q.Path != "" {
		var err error
		if start, err = v.visible(q.Path); err != nil {
			return nil, err
		}
		if start, err = v.follow(start); err != nil {
			return nil, err
		}
	}
	if err := v.startOfWalk(start); err != nil {
		return nil, err
	}
	s, err := v.newSearch(q, start)
	if err != nil {
		return nil, err
	}
	if e, ok := v.o.Manifest.Get(start); ok && e.Kind == "" {
		_, err = s.file(ctx, v.source(ctx, start, e))
		return s.result(), err
	}
	for p, e := range v.o.Manifest.under(start) {
		if e.Kind != "" || !v.o.Roots.CanSee(p) || !s.wants(p) || q.Path == "" && (inside(p, ToolResults) || inside(p, Skills)) {
			continue
		}
		if s.tooDeep(p) {
			continue
		}
		if e.Size > v.o.Limits.FileBytes {
			s.out.Skipped++
			continue
		}
		if more, err := s.file(ctx, v.source(ctx, p, e)); err != nil || !more {
			return s.result(), err
		}
	}
	return s.result(), nil
}

func (v *View) source(ctx context.Context, p string, e Entry) source {
	return source{path: p, hash: e.Hash, read: func() ([]byte, error) { return v.content(ctx, p, e) }}
}

// search is one search under way. It is used by one goroutine.
type search struct {
	q      SearchQuery
	limits Limits
	start  string // of the walk
	prefix string // of paths that are compared with the glob
	match  func(line string) (score float64, at int)
	now    func() time.Time
	until  time.Time
	out    Found
	deep   bool // something was too deep
}

func (v *View) newSearch(q SearchQuery, start string) (*search, error) {
	s := &search{q: q, limits: v.o.Limits, start: start, now: v.o.Now}
	s.until = s.now().Add(s.limits.SearchTime)
	s.q.Context = min(max(q.Context, 0), MaxContext)
	if q.Limit <= 0 {
		s.q.Limit = 20
	}
	if err := checkGlob(q.Glob); err != nil {
		return nil, err
	}
	match, err := matcher(q)
	s.match = match
	return s, err
}

// matcher gives a function that scores a line, 0 for no match, and says at which
// character the match begins.
func matcher(q SearchQuery) (func(string) (float64, int), error) {
	if q.Mode == PlainWords || q.Mode == "" {
		words := strings.Fields(strings.ToLower(q.Query))
		slices.Sort(words)
		words = slices.Compact(words)
		if len(words) == 0 {
			return nil, fault.New("workspace.pattern_invalid", "the query has no word")
		}
		return func(line string) (float64, int) { return matchWords(strings.ToLower(line), words) }, nil
	}
	pattern := q.Query
	if q.Mode == PlainLiteral {
		pattern = regexp.QuoteMeta(pattern)
	}
	if q.IgnoreCase {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, badPattern(q.Query, err)
	}
	return func(line string) (float64, int) {
		at := re.FindStringIndex(line)
		if at == nil {
			return 0, 0
		}
		return 1, Chars(line[:at[0]])
	}, nil
}

func matchWords(line string, words []string) (float64, int) {
	found, first := 0, len(line)
	for _, w := range words {
		if at := strings.Index(line, w); at >= 0 {
			found++
			first = min(first, at)
		}
	}
	if found == 0 {
		return 0, 0
	}
	return float64(found) / float64(len(words)), Chars(line[:first])
}

func badPattern(pattern string, err error) error {
	var bad *syntax.Error
	if !errors.As(err, &bad) {
		return fault.Wrap(err, "workspace.pattern_invalid", "the pattern is not valid")
	}
	at := max(strings.Index(pattern, bad.Expr), 0)
	return fault.New("workspace.pattern_invalid", "the pattern is not valid at character %d: %s: %q (RE2 syntax, without look-around and back-references)",
		Chars(pattern[:at]), bad.Code, bad.Expr)
}

func checkGlob(glob string) error {
	if glob != "" && !doublestar.ValidatePattern(glob) {
		return fault.New("workspace.pattern_invalid", "the glob %q is not valid: a bracket or brace is not closed, or it ends in an escape", glob)
	}
	return nil
}

// globMatches says whether a file is meant by a glob: one without a slash by its name, any
// other by its path, whole or from the start of the walk.
func globMatches(glob, p, start string) bool {
	if !strings.Contains(glob, "/") {
		return doublestar.MatchUnvalidated(glob, p[strings.LastIndexByte(p, '/')+1:])
	}
	return doublestar.MatchUnvalidated(glob, p) || doublestar.MatchUnvalidated(glob, relative(p, start))
}

func (s *search) wants(p string) bool {
	return s.q.Glob == "" || globMatches(s.q.Glob, path.Join(s.prefix, p), path.Join(s.prefix, s.start))
}

func (s *search) tooDeep(p string) bool {
	if segments(relative(p, s.start)) <= s.limits.SearchDepth {
		return false
	}
	s.out.Skipped++
	s.deep = true
	return true
}

// file looks into one file and says whether the search may go on.
func (s *search) file(ctx context.Context, f source) (more bool, err error) {
	switch {
	case ctx.Err() != nil:
		return false, stopped(ctx.Err(), "search")
	case s.out.Searched >= s.limits.SearchFiles:
		s.bound("the limit of " + Count(s.limits.SearchFiles, "file"))
		return false, nil
	case !s.now().Before(s.until):
		s.bound("the time limit of " + s.limits.SearchTime.String())
		return false, nil
	}
	content, err := f.read()
	if err != nil && !errors.Is(err, errSkip) {
		return false, err
	}
	if err != nil || !IsText(content) {
		s.out.Skipped++
		return true, nil
	}
	s.out.Searched++
	if f.hash == "" {
		f.hash = HashOf(content)
	}
	_, body := splitBOM(string(content))
	s.lines(f, body)
	return true, nil
}

// lines collects the hits of one file.
func (s *search) lines(f source, body string) {
	type matched struct {
		line, pos, at int
		score         float64
	}
	var all []matched
	n := 0
	for pos := 0; pos < len(body); {
		line, size := nextLine(body[pos:])
		n++
		if score, at := s.match(line); score > 0 {
			s.out.Total++
			if s.ranked() || len(s.out.Hits)+len(all) < s.q.Limit {
				all = append(all, matched{n, pos, at, score})
			}
		}
		pos += size
	}
	if s.ranked() {
		slices.SortStableFunc(all, func(a, b matched) int { return cmp.Compare(b.score, a.score) })
		all = all[:min(len(all), s.q.Limit)]
	}
	for _, m := range all {
		h := Hit{Path: f.path, Hash: f.hash, Line: m.line, Score: m.score}
		h.Lines, h.StartLine = linesBefore(body, m.pos, m.line, s.q.Context)
		line, size := nextLine(body[m.pos:])
		h.Lines = append(h.Lines, snippet(line, m.at))
		h.Lines = appendLines(h.Lines, body[m.pos+size:], s.q.Context)
		h.EndLine = h.StartLine + len(h.Lines) - 1
		s.out.Hits = append(s.out.Hits, h)
	}
	if s.ranked() {
		slices.SortStableFunc(s.out.Hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
		s.out.Hits = s.out.Hits[:min(len(s.out.Hits), s.q.Limit)]
	}
}

// linesBefore gives up to n lines that end at pos, which begins a line of that number,
// and the number of the first of them.
func linesBefore(body string, pos, line, n int) (lines []string, first int) {
	from := pos
	first = line
	for ; first > 1 && line-first < n; first-- {
		from = strings.LastIndexByte(body[:from-1], '\n') + 1
	}
	return appendLines(nil, body[from:pos], n), first
}

func appendLines(lines []string, body string, n int) []string {
	for ; n > 0 && body != ""; n-- {
		line, size := nextLine(body)
		lines = append(lines, snippet(line, 0))
		body = body[size:]
	}
	return lines
}

// snippet cuts a line to SnippetChars round character at.
func snippet(line string, at int) string {
	if len(line) <= SnippetChars || utf8.RuneCountInString(line) <= SnippetChars {
		return line
	}
	before, out := "", line
	if from := at - SnippetChars/3; from > 0 {
		before, out = "…", line[byteAt(line, from):]
	}
	out, left := Head(out, SnippetChars)
	if left > 0 {
		out += "…"
	}
	return before + out
}

func (s *search) ranked() bool { return s.q.Mode == PlainWords || s.q.Mode == "" }

func (s *search) bound(what string) { s.out.Bounds = append(s.out.Bounds, what) }

// result gives what was found, within what one answer may show.
func (s *search) result() *Found {
	if s.deep {
		s.bound("the depth of " + Count(s.limits.SearchDepth, "level") + " below the start")
	}
	room := s.limits.window()
	for i, h := range s.out.Hits {
		for _, line := range h.Lines {
			room -= Chars(line) + len(h.Path) + 8
		}
		if room < 0 && i > 0 {
			s.out.Hits = s.out.Hits[:i]
			break
		}
	}
	s.out.Truncated = len(s.out.Hits) < s.out.Total || len(s.out.Bounds) > 0
	return &s.out
}
