package agent

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// Sizes of what a model reads of a result that is not shown whole, in characters
// (results spec §3 to §5).
const (
	shortChars  = 500 // of the text, when a preview is shortened
	stubChars   = 300 // longest stub
	alwaysChars = 500 // a result up to this length is never shortened
)

// Forms of a result.
const (
	formStored = "stored"
	formStub   = "stub"
)

// shown is a result whose form is being decided.
type shown struct {
	res    *model.Result
	prefix string // what an error begins with, in each form
	text   string // behind the prefix, as it would be shown now
	form   string // "": as it is in the history
	stored bool   // a readable copy is there or is made
	total  int    // characters of the whole text behind the prefix
	path   string
	tokens int64 // estimate of what is shown
	chars  int   // of what is shown
}

func (s *shown) become(form, text string) {
	s.form, s.text = form, text
	s.tokens, s.chars = model.Tokens(s.prefix+text), utf8.RuneCountInString(s.prefix)+utf8.RuneCountInString(text)
}

// body cuts the text of a result behind what an error begins with.
func body(r *model.Result) (prefix, text string) {
	if !r.IsError {
		return "", r.Text
	}
	head, text, found := strings.Cut(r.Text, ": ")
	if !found {
		return "", r.Text
	}
	return head + ": ", text
}

// reader gives the names of the tools with which this agent reads stored results.
func (p *Part) reader() (read, search string) {
	return p.Snap.NameOf("builtin:workspace.read_file"), p.Snap.NameOf("builtin:workspace.search_files")
}

// newShown begins with a result as it is in the history. index is the place of its call.
func (p *Part) newShown(r *model.Result, turn, index int) shown {
	s := shown{res: r}
	prefix, text := body(r)
	s.prefix = prefix
	s.become("", text)
	s.total = utf8.RuneCountInString(text)
	if c, ok := p.fit.copies[r.Key]; ok {
		s.stored, s.path, s.total = true, c.path, c.chars
	} else {
		s.path = copyPath(p.Path, turn, index, r.Name)
	}
	return s
}

// store shows the first chars characters and where the rest is. It reports whether that is
// shorter.
func (s *shown) store(chars int, read, search string) bool {
	const why = "the results of this turn were too long together"
	text := beginning(s.text, chars, s.total, why, s.path, read, search)
	if utf8.RuneCountInString(text) >= utf8.RuneCountInString(s.text) {
		return false
	}
	s.become(formStored, text)
	s.stored = true
	return true
}

// stub shows what the result was and where it is. It reports whether that is shorter.
func (s *shown) stub(read, search string) bool {
	if s.chars <= alwaysChars || s.form == formStub {
		return false
	}
	say := fmt.Sprintf("[%s characters of %s, not shown here", workspace.Grouped(s.total), s.res.Name)
	at := "; the whole stands in " + s.path
	hint := ""
	switch {
	case read != "":
		hint = "; read it with " + read
	case search != "":
		hint = "; search it with " + search
	default:
		at = ""
	}
	text := say + at + hint + "]"
	if utf8.RuneCountInString(s.prefix+text) > stubChars {
		text = say + at + "]"
	}
	if utf8.RuneCountInString(s.prefix+text) > stubChars { // the name is in the path
		text = fmt.Sprintf("[%s characters, not shown here%s]", workspace.Grouped(s.total), at)
	}
	if utf8.RuneCountInString(s.prefix+text) >= s.chars {
		return false
	}
	s.become(formStub, text)
	s.stored = true
	return true
}

// room is what the results of one turn may have together.
type room struct {
	chars  int
	tokens int64 // by the estimate of texts; negative: no bound
}

func (r room) holds(all []shown) bool {
	chars, tokens := 0, int64(0)
	for i := range all {
		chars += all[i].chars
		tokens += all[i].tokens
	}
	return chars <= r.chars && (r.tokens < 0 || tokens <= r.tokens)
}

// fitTurn shortens results of one turn until they have room: the largest first, of equal
// ones the later, errors after all others. What cannot be shortened stays.
func fitTurn(all []shown, r room, read, search string) {
	for _, errors := range []bool{false, true} {
		for _, step := range []func(*shown) bool{
			func(s *shown) bool { return s.form == "" && !s.stored && s.store(previewChars, read, search) },
			func(s *shown) bool { return s.form != formStub && s.store(shortChars, read, search) },
			func(s *shown) bool { return s.stub(read, search) },
		} {
			tried := make([]bool, len(all))
			for !r.holds(all) {
				largest := -1
				for i := range all {
					s := &all[i]
					if !tried[i] && s.res.IsError == errors && s.chars > alwaysChars && (largest < 0 || s.chars >= all[largest].chars) {
						largest = i
					}
				}
				if largest < 0 {
					break
				}
				tried[largest] = true
				step(&all[largest])
			}
		}
	}
}

// newestResults gives the results of the last turn when no answer has followed them, else nil.
func (p *Part) newestResults() *model.Message {
	for i := len(p.History) - 1; i >= p.fit.head; i-- {
		switch m := &p.History[i]; m.Role {
		case model.Tool:
			return m
		case model.Assistant:
			return nil
		}
	}
	return nil
}

// showTurn gives the records that fix what the model reads of the newest results, none
// when they fit as they are. least is what they may have at least, whatever else there is.
func (p *Part) showTurn(least int64) []journal.Record {
	m := p.newestResults()
	if m == nil {
		return nil
	}
	size, tokens := 0, int64(0)
	most := p.most()
	for i := range m.Results {
		size += len(m.Results[i].Text)
		if most > 0 {
			tokens += model.Tokens(m.Results[i].Text)
		}
	}
	r := room{chars: p.Profile.TurnChars, tokens: -1}
	if most > 0 {
		read := p.fit.meter.Scale(tokens)
		left := max(most-(p.Estimate()-read), least, 0)
		r.tokens = tokens * left / max(read, 1) // back to what texts are estimated with
	}
	if size <= r.chars && (r.tokens < 0 || tokens <= r.tokens) {
		return nil
	}
	all := make([]shown, len(m.Results))
	for i := range m.Results {
		all[i] = p.newShown(&m.Results[i], m.Turn, i)
	}
	if r.holds(all) {
		return nil
	}
	read, search := p.reader()
	fitTurn(all, r, read, search)
	recs, list := p.projected(all, m.Turn)
	if len(list) == 0 {
		return nil
	}
	return append(recs, p.rec(&journal.ResultsShown{Results: journal.Projections(list), Count: len(list)}, m.Turn, ""))
}

// projected gives the copies that have to be made, and what is shown from now on.
func (p *Part) projected(all []shown, turn int) (recs []journal.Record, list []journal.Projection) {
	for i := range all {
		s := &all[i]
		if s.form == "" {
			continue
		}
		if _, ok := p.fit.copies[s.res.Key]; !ok {
			_, text := body(s.res)
			c := storedText(s.path, text)
			recs = append(recs, p.rec(&journal.FileChanged{Path: c.Path, Op: c.Op, New: c.New, Size: c.Size, Chars: c.Chars, ByCall: s.res.Key,
				Content: journal.Text(c.Content)}, turn, s.res.Key))
		}
		list = append(list, journal.Projection{Call: s.res.Key, Form: s.form, Chars: s.chars, Text: s.prefix + s.text})
	}
	return recs, list
}

// foldProjections puts what is shown from now on into the history.
func (p *Part) foldProjections(c *journal.Content, old bool) error {
	list, err := journal.ReadProjections(c)
	if err != nil {
		return fault.Wrap(err, "journal.damaged", "the record of shown results")
	}
	texts := make(map[string]string, len(list))
	for i := range list {
		texts[list[i].Call] = list[i].Text
	}
	history := make([]model.Message, len(p.History))
	copy(history, p.History)
	less := int64(0)
	for i := range history {
		m := &history[i]
		if m.Role != model.Tool {
			continue
		}
		results := m.Results
		for j := range results {
			text, ok := texts[results[j].Key]
			if !ok {
				continue
			}
			if &results[0] == &m.Results[0] {
				results = append([]model.Result(nil), results...)
			}
			less += model.Tokens(results[j].Text) - model.Tokens(text)
			results[j].Text = text
		}
		m.Results = results
	}
	if old {
		p.rewrite(history)
		return nil
	}
	p.History = history
	p.fit.meter.Add(-less)
	p.fit.results -= less
	p.fit.changes++
	return nil
}
