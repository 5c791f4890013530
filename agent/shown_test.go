package agent

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/swarmtest"
	"github.com/seed-cf6d8d1b/swarm/tooling"
)

// Six results that have no room together are shortened in the stated order.
func TestFitTurn(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		chars  []int // of each result; negative: an error
		stored []int // those of which a copy is there, which are previews
		room   int
		forms  string // of each: . as it was, P preview, p short preview, s stub
	}{
		{"all fit", []int{5000, 5000, 5000, 5000, 5000, 5000}, nil, 30_000, "......"},
		{"sizes-6 the largest first", []int{5000, 9000, 5000, 20_000, 5000, 5000}, nil, 40_000, "...P.."},
		{"sizes-6 of equal ones the later first", []int{9000, 9000, 9000, 9000, 9000, 9000}, nil, 45_000, "....PP"},
		{"sizes-6 errors last", []int{9000, -20_000, 9000, 9000, 9000, 9000}, nil, 50_000, "...PPP"},
		{"sizes-6 errors too, when nothing else helps", []int{9000, -20_000, 9000}, nil, 3000, "sps"},
		{"sizes-6 previews are shortened next", []int{9000, 9000, 9000, 9000, 9000, 9000}, nil, 16_000, "PPPPpp"},
		{"sizes-6 then there are stubs", []int{9000, 9000, 9000, 9000, 9000, 9000}, nil, 4000, "ppppss"},
		{"what is a preview already is shortened", []int{3400, 3400, 200}, []int{0, 1}, 4600, ".p."},
		{"short ones stay", []int{500, 500, 500, 500, 500, 500}, nil, 1000, "......"},
		{"what is too short for a preview becomes a short one", []int{2500, 2500, 2500}, nil, 6000, "..p"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			results := make([]model.Result, len(row.chars))
			p := &Part{Path: "root"}
			for i, n := range row.chars {
				r := &results[i]
				*r = model.Result{Key: fmt.Sprint("key", i), Name: "peek", Text: strings.Repeat("x", max(n, -n))}
				if n < 0 {
					r.IsError, r.Text = true, "error tool.failed: "+r.Text
				}
			}
			for _, i := range row.stored {
				if p.fit.copies == nil {
					p.fit.copies = map[string]journalCopy{}
				}
				p.fit.copies[results[i].Key] = journalCopy{fmt.Sprint("tool-results/", i), 80_000}
			}
			var all []shown
			for i := range results {
				all = append(all, p.newShown(&results[i], 1, i))
			}
			r := room{chars: row.room, tokens: -1}
			fitTurn(all, r, "read", "")
			forms := ""
			for i := range all {
				s := &all[i]
				switch {
				case s.form == "":
					forms += "."
				case s.form == formStub:
					forms += "s"
				case s.chars > previewChars:
					forms += "P"
				default:
					forms += "p"
				}
				if results[i].IsError && !strings.HasPrefix(s.prefix+s.text, "error tool.failed: ") {
					t.Errorf("result %d is no error any more: %.80q", i, s.prefix+s.text)
				}
				if s.form == formStub && s.chars > stubChars {
					t.Errorf("a stub of %d characters", s.chars)
				}
				if s.form != "" && !strings.Contains(s.text, s.path) {
					t.Errorf("result %d does not say where it is: %q", i, s.text)
				}
			}
			if forms != row.forms {
				t.Errorf("forms %s, want %s", forms, row.forms)
			}
		})
	}
}

// manyPeeks answers one turn with calls of peek that bring texts of some length.
func (d *driver) manyPeeks(n int, text func(i int) string) {
	d.t.Helper()
	calls := make([]model.AnswerCall, n)
	for i := range calls {
		calls[i] = peeking
	}
	d.turn(swarmtest.Do(calls...))
	d.peeked(text)
}

// peeked carries the calls of a turn out.
func (d *driver) peeked(text func(i int) string) {
	d.t.Helper()
	for d.part.Phase == Settling {
		_, cmds := d.next()
		for _, c := range cmds {
			switch c.Kind {
			case Execute:
				d.done(c.Call, tooling.Result{Content: text(d.part.Call(c.Call).Index)})
			case AskModel: // nothing was run: the next turn is asked for already
				d.live.Asking = false
			default:
				d.carry(c, "")
			}
		}
	}
}

// sizes-6: what is shown of a turn is decided once, before its request, stands in a
// record, and every text is whole in a file.
func TestTurnIsFitted(t *testing.T) {
	t.Parallel()
	d := windowed(t, 40_000, nil)
	text := func(i int) string { return strings.Repeat(fmt.Sprintf("%d word ", i), 5000) }
	d.manyPeeks(6, text)
	d.ask()
	shown := records[*journal.ResultsShown](d)
	if len(shown) != 1 || len(records[*journal.HistoryCompacted](d)) != 0 {
		t.Fatalf("shown %+v", shown)
	}
	results := d.last().Results
	if len(results) != 6 {
		t.Fatalf("sizes-6: %d results", len(results))
	}
	list, err := journal.ReadProjections(&shown[0].Results)
	if err != nil || len(list) != shown[0].Count {
		t.Fatal(list, err)
	}
	short := map[string]string{}
	for _, s := range list {
		short[s.Call] = s.Text
		if s.Chars != utf8.RuneCountInString(s.Text) {
			t.Errorf("%d characters are said to be %d", utf8.RuneCountInString(s.Text), s.Chars)
		}
	}
	files := map[string]string{}
	for _, m := range records[*journal.FileChanged](d) {
		files[m.ByCall] = strings.ReplaceAll(m.Content.Text, "\n", "")
	}
	for i, r := range results {
		want, isShort := short[r.Key]
		if !isShort {
			want = text(i)
		} else if files[r.Key] != text(i) {
			t.Errorf("result %d is not whole in its file", i)
		}
		if r.Text != want {
			t.Errorf("result %d reads %.60q, want %.60q", i, r.Text, want)
		}
	}
}

// sizes-2: 200 results just below the limit. The budget of the history holds, no pair is
// split, every swept text is whole in its file, and a short message still works.
func TestSweep(t *testing.T) {
	t.Parallel()
	d := windowed(t, 131_072, func(p *Profile) { p.Rounds, p.MaxCalls = 300, 300 })
	text := func(turn int) string {
		word := string([]byte{'a' + byte(turn/26), 'a' + byte(turn%26)})
		return strings.Repeat(word+"word ", 7200)[:49_900]
	}
	for turn := range 200 {
		d.manyPeeks(1, func(int) string { return text(turn) })
		if share := d.part.share(); d.part.fit.meter.Scale(d.part.fit.results) > share+share/2 {
			t.Fatalf("sizes-2: turn %d: results have %d of %d tokens", turn, d.part.fit.results, share)
		}
	}
	d.append(d.part.rec(&journal.GuidanceApplied{ID: "g", Text: journal.Text("hurry")}, d.part.Turn, ""))
	d.ask()
	swept := records[*journal.ResultsSwept](d)
	if len(swept) < 10 || len(swept) > 100 {
		t.Errorf("sizes-2: swept %d times", len(swept))
	}
	if n := len(records[*journal.HistoryCompacted](d)); n != 0 {
		t.Errorf("sizes-2: %d compactions, though sweeping is enough", n)
	}
	files := map[string]string{}
	for _, m := range records[*journal.FileChanged](d) {
		files[m.ByCall] = strings.ReplaceAll(m.Content.Text, "\n", "")
	}
	short, turn := 0, 0
	for _, m := range d.part.History {
		for _, r := range m.Results {
			if r.Text != text(turn) {
				short++
				if files[r.Key] != text(turn) || len(r.Text) > stubChars || !strings.Contains(r.Text, "tool-results/calls/root/") {
					t.Errorf("sizes-2: turn %d reads %q", turn, r.Text)
				}
				if turn >= 198 {
					t.Errorf("sizes-2: turn %d of 200 is swept", turn)
				}
			}
			turn++
		}
	}
	if turn != 200 || short < 180 {
		t.Errorf("sizes-2: %d results, %d of them short", turn, short)
	}
}

// What must not be swept stays as it is.
func TestSweepSpares(t *testing.T) {
	t.Parallel()
	d := windowed(t, 60_000, func(p *Profile) { p.Rounds = 100; p.HistoryShare = 0.1 })
	d.dispatch(poking)
	d.crash()
	d.append(d.part.Recover()...) // its outcome is unknown
	unknown := d.key(0)
	d.dispatch(peeking)
	d.done(d.key(0), tooling.Result{Content: strings.Repeat("a", 500)})
	short := d.key(0)
	for i := range 8 {
		d.manyPeeks(1, func(int) string { return fmt.Sprint(i, strings.Repeat(" word", 2000)) })
	}
	d.ask()
	if len(records[*journal.ResultsSwept](d)) == 0 {
		t.Fatal("nothing is swept")
	}
	for _, m := range d.part.History {
		for _, r := range m.Results {
			stub := strings.Contains(r.Text, "not shown here")
			if (r.Key == unknown || r.Key == short || m.Turn > d.part.Turn-3) && stub {
				t.Errorf("turn %d is swept: %q", m.Turn, r.Text)
			}
		}
	}
}

// Without a tool to read with, a shortened result names neither a path nor a tool.
func TestStubHints(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, read, search, has, hasNot string }{
		{"sizes-5 none", "", "", "not shown here]", "tool-results"},
		{"sizes-5 reading", "read_it", "", "tool-results/calls/root/t3-c1-peek.txt; read it with read_it]", "search"},
		{"sizes-5 searching", "", "find_it", "tool-results/calls/root/t3-c1-peek.txt; search it with find_it]", "read"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := &Part{Path: "root"}
			s := p.newShown(&model.Result{Key: "k", Name: "peek", Text: strings.Repeat("x", 12_345)}, 3, 1)
			if !s.stub(row.read, row.search) || !strings.Contains(s.text, row.has) || strings.Contains(s.text, row.hasNot) || !strings.Contains(s.text, "12,345 characters") {
				t.Errorf("%q", s.text)
			}
			if again := p.newShown(&model.Result{Key: "k", Name: "peek", Text: s.text}, 3, 1); again.stub(row.read, row.search) {
				t.Error("a stub is shortened again")
			}
		})
	}
}
