package replay

import (
	"crypto/sha256"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// ids are what the runtime makes anew for each run: run ids, and the ids of calls on the
// wire.
var ids = regexp.MustCompile(`\b(?:run_[0-9a-z]{16}|call_[0-9a-f]{24})\b`)

// shortID is the form of ids of calls that some servers insist on. As a word may have it, it
// is looked for where an id of a call stands only.
var shortID = regexp.MustCompile(`^[0-9A-Za-z]{9}$`)

// shortIDs collects ids of that form, all the way down: those of calls, and those that
// results name.
func (n *node) shortIDs(into map[string]bool) {
	for i, name := range n.names {
		switch kid := &n.kids[i]; {
		case name == "tool_call_id":
			kid.shortID(into)
		case name == "tool_calls":
			for j := range kid.kids {
				if at := slices.Index(kid.kids[j].names, "id"); at >= 0 {
					kid.kids[j].kids[at].shortID(into)
				}
			}
		}
	}
	for i := range n.kids {
		n.kids[i].shortIDs(into)
	}
}

func (n *node) shortID(into map[string]bool) {
	if n.kind == '"' && shortID.MatchString(n.text) {
		into[n.text] = true
	}
}

// minRun is the fewest bytes of a run id of another form that is looked for.
const minRun = 6

// normaliser makes requests comparable.
type normaliser struct {
	patterns []*regexp.Regexp
}

// newNormaliser compiles patterns. Errors have code "replay.config_invalid".
func newNormaliser(patterns []string) (*normaliser, error) {
	n := new(normaliser)
	for _, p := range patterns {
		re, err := regexp.Compile(p)
		if err != nil {
			return nil, fault.Wrap(err, "replay.config_invalid", "normalise has a pattern that is none")
		}
		if re.MatchString("") {
			return nil, fault.New("replay.config_invalid", "the pattern %q of normalise fits an empty text; have it name what may change", p)
		}
		n.patterns = append(n.patterns, re)
	}
	return n, nil
}

// body gives the canonical form of a request's body: members in order, its run's id and
// what fits a pattern replaced, other ids numbered by their first appearance.
func (n *normaliser) body(body []byte, run string) node {
	root, ok := parse(string(body))
	if !ok {
		root = node{kind: '"', text: string(body)}
	}
	root.sort()
	var own *regexp.Regexp
	if len(run) >= minRun {
		own = regexp.MustCompile(`\b` + regexp.QuoteMeta(run) + `\b`)
	}
	short := map[string]bool{}
	root.shortIDs(short)
	seen := map[string]string{}
	number := func(id string) string {
		if seen[id] == "" {
			seen[id] = fmt.Sprintf("«id %d»", len(seen)+1)
		}
		return seen[id]
	}
	root.strings(func(s string) string {
		if own != nil {
			s = own.ReplaceAllLiteralString(s, "«run»")
		}
		s = ids.ReplaceAllStringFunc(s, number)
		if short[s] {
			s = number(s)
		}
		for _, re := range n.patterns {
			s = re.ReplaceAllLiteralString(s, "«~»")
		}
		return s
	})
	return root
}

// question is what makes two requests the same one.
type question struct {
	end  string // of the address, which some providers name the model in
	body node
}

func (n *normaliser) question(r *request, run string) *question {
	address, _, _ := strings.Cut(r.URL, "?")
	return &question{path.Base(address), n.body(r.Body, run)}
}

func (q *question) hash() [sha256.Size]byte {
	return sha256.Sum256(q.body.appendTo(append([]byte(q.end), 0)))
}

// difference is where two values differ first, and in how many places.
type difference struct {
	pointer       string
	recorded, now string
	count         int
}

// inAddress is the pointer of a difference that is in no body.
const inAddress = "(end of the address)"

// compare looks for differences, in the order of the values.
func compare(recorded, now *question) difference {
	var d difference
	if recorded.end != now.end {
		d.add(inAddress, &node{kind: '"', text: recorded.end}, &node{kind: '"', text: now.end})
	}
	d.look("", &recorded.body, &now.body)
	return d
}

// absent is a member that one of both sides does not have.
const absent = "(absent)"

func (d *difference) add(pointer string, recorded, now *node) {
	d.count++
	if d.count > 1 {
		return
	}
	show := func(n *node) string {
		if n == nil {
			return absent
		}
		return string(n.appendTo(nil))
	}
	d.pointer = pointer
	d.recorded, d.now = around(show(recorded), show(now))
}

func (d *difference) look(pointer string, recorded, now *node) {
	switch {
	case recorded.kind != now.kind || recorded.text != now.text:
		d.add(pointer, recorded, now)
	case recorded.kind == '[':
		for i := range max(len(recorded.kids), len(now.kids)) {
			switch {
			case i >= len(recorded.kids):
				d.add(now.step(pointer, i), nil, &now.kids[i])
			case i >= len(now.kids):
				d.add(recorded.step(pointer, i), &recorded.kids[i], nil)
			default:
				d.look(recorded.step(pointer, i), &recorded.kids[i], &now.kids[i])
			}
		}
	case recorded.kind == '{':
		d.members(pointer, recorded, now)
	}
}

// members compares objects, whose members are in order.
func (d *difference) members(pointer string, recorded, now *node) {
	for i, j := 0, 0; i < len(recorded.kids) || j < len(now.kids); {
		switch {
		case j == len(now.kids) || i < len(recorded.kids) && recorded.names[i] < now.names[j]:
			d.add(recorded.step(pointer, i), &recorded.kids[i], nil)
			i++
		case i == len(recorded.kids) || recorded.names[i] > now.names[j]:
			d.add(now.step(pointer, j), nil, &now.kids[j])
			j++
		default:
			d.look(recorded.step(pointer, i), &recorded.kids[i], &now.kids[j])
			i, j = i+1, j+1
		}
	}
}

const (
	maxSide = 200 // characters of a side that are shown (models spec §18)
	before  = 40  // of them before the first character that differs
)

// around cuts two texts to where they differ.
func around(a, b string) (string, string) {
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	from := same
	for n := 0; from > 0 && n < before; n++ {
		from--
		for from > 0 && !utf8.RuneStart(a[from]) {
			from--
		}
	}
	if utf8.RuneCountInString(a[:from]) < before {
		from = 0 // hardly anything would be left out
	}
	cut := func(s string) string {
		var out strings.Builder
		if from > 0 {
			out.WriteString("…")
		}
		n := utf8.RuneCountInString(out.String())
		for _, r := range s[from:] {
			if n++; n == maxSide {
				out.WriteString("…")
				break
			}
			out.WriteRune(r)
		}
		return out.String()
	}
	return cut(a), cut(b)
}
