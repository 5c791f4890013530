package price

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/journal"
)

// Nano is an amount of money in nano-dollars.
type Nano int64

// String writes an amount in dollars with all its digits, such as "0.0125".
func (n Nano) String() string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	s := fmt.Sprintf("%s%d.%09d", sign, n/1e9, n%1e9)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// Rate is a price of a million tokens in nano-dollars. Nil in a [Price] is unknown.
type Rate int64

// maxRate is the highest rate that a table may name: 1,000,000 dollars.
const maxRate = Rate(1e15)

// UnmarshalJSON reads dollars for a million tokens, a number or a text of at most nine
// decimals.
func (r *Rate) UnmarshalJSON(b []byte) error {
	n, err := ParseDollars(strings.Trim(string(b), `"`))
	if err != nil || n < 0 || Rate(n) > maxRate {
		return fmt.Errorf("%s is no price in dollars for a million tokens", b)
	}
	*r = Rate(n)
	return nil
}

// MarshalJSON writes dollars for a million tokens.
func (r Rate) MarshalJSON() ([]byte, error) { return []byte(Nano(r).String()), nil }

// ParseDollars reads a decimal amount of dollars with at most nine decimals.
func ParseDollars(s string) (Nano, error) {
	whole, part, _ := strings.Cut(s, ".")
	bad := fmt.Errorf("%q is no amount of dollars with at most nine decimals", s)
	if whole == "" && part == "" || len(part) > 9 || len(whole) > 9 {
		return 0, bad
	}
	n := Nano(0)
	for _, c := range whole + part + strings.Repeat("0", 9-len(part)) {
		if c < '0' || c > '9' {
			return 0, bad
		}
		n = n*10 + Nano(c-'0')
	}
	return n, nil
}

// Price is what a million tokens of a model cost. A rate that is nil is unknown, but for
// those of the cache: what is read from it or written to it costs the rate of Input then.
type Price struct {
	Input        *Rate  `json:"input,omitempty"`
	Output       *Rate  `json:"output,omitempty"`
	CacheRead    *Rate  `json:"cache_read,omitempty"`
	CacheWrite   *Rate  `json:"cache_write,omitempty"`
	CacheWrite1h *Rate  `json:"cache_write_1h,omitempty"`
	Tiers        []Tier `json:"tiers,omitempty"` // rising
}

// Tier is the price of a request that reads more than Above tokens.
type Tier struct {
	Above int64 `json:"above"`
	Price
}

// Free costs nothing.
func Free() *Price { return &Price{Input: new(Rate), Output: new(Rate)} }

// Cost gives what a request cost. It is false when a number or its rate is unknown. The
// cached parts are parts of the input; the reasoning is a part of the output. Long says
// that what was written to the cache stays there for an hour.
func (p *Price) Cost(u *journal.Usage, long bool) (Nano, bool) {
	if p == nil || p.Input == nil || p.Output == nil {
		return 0, false
	}
	if *p.Input == 0 && *p.Output == 0 {
		return 0, true
	}
	if u.Input == nil || u.Output == nil {
		return 0, false
	}
	t := p
	for i := range p.Tiers {
		if tier := &p.Tiers[i]; *u.Input > tier.Above && tier.Input != nil && tier.Output != nil {
			t = &tier.Price
		}
	}
	rate := func(r *Rate) Rate {
		if r == nil {
			return *t.Input
		}
		return *r
	}
	write := t.CacheWrite
	if long && t.CacheWrite1h != nil {
		write = t.CacheWrite1h
	}
	var read, wrote int64
	if u.CacheRead != nil {
		read = *u.CacheRead
	}
	if u.CacheWrite != nil {
		wrote = *u.CacheWrite
	}
	plain := max(*u.Input-read-wrote, 0)
	cost := Nano(0) // each part is at most mostCost, so that no sum of them runs over
	for _, part := range []Nano{times(plain, *t.Input), times(read, rate(t.CacheRead)), times(wrote, rate(write)), times(*u.Output, *t.Output)} {
		cost = min(cost+part, mostCost)
	}
	return cost, true
}

// mostCost is the highest cost of one request, about nine million dollars: a server that
// reports more tokens than that costs is wrong, and a thousand such sums still are numbers.
const mostCost = Nano(1 << 53)

// times gives the price of n tokens, rounded to the nearest nano-dollar, at most mostCost.
func times(n int64, r Rate) Nano {
	if n <= 0 || r <= 0 {
		return 0
	}
	const million = 1_000_000
	hi, lo := bits.Mul64(uint64(n), uint64(r))
	lo, carry := bits.Add64(lo, million/2, 0)
	hi += carry
	if hi >= million { // above what a run can spend by far
		return mostCost
	}
	q, _ := bits.Div64(hi, lo, million)
	return Nano(min(q, uint64(mostCost)))
}

// Entry is a row of a table.
type Entry struct {
	Provider  string `json:"provider"`
	Match     string `json:"match"`                // name of a model, or the beginning of names and a *
	Window    int    `json:"window,omitempty"`     // tokens
	MaxOutput int    `json:"max_output,omitempty"` // tokens
	Vision    bool   `json:"vision,omitempty"`
	Price
	AsOf string `json:"as_of"` // date of the figures
}

// Table finds models. The zero value knows none.
type Table struct{ entries []Entry }

// Parse reads a table: a JSON list of entries. Every fault is told at once.
func Parse(data []byte) (*Table, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("a table of prices is a JSON list of entries: %w", err)
	}
	t := new(Table)
	var faults []string
	for i, raw := range list {
		var e Entry
		dec := json.NewDecoder(strings.NewReader(string(raw)))
		dec.DisallowUnknownFields()
		err := dec.Decode(&e)
		switch {
		case err != nil:
		case e.Provider == "" || e.Match == "" || strings.Contains(strings.TrimSuffix(e.Match, "*"), "*"):
			err = fmt.Errorf("it needs a provider, and a match that has * at its end at most")
		case (e.Input == nil) != (e.Output == nil):
			err = fmt.Errorf("it has a price for input or for output alone")
		default:
			err = e.check()
		}
		if err != nil {
			faults = append(faults, fmt.Sprintf("entry %d: %v", i+1, err))
			continue
		}
		t.entries = append(t.entries, e)
	}
	if len(faults) > 0 {
		return nil, fmt.Errorf("%s", strings.Join(faults, "\n"))
	}
	return t, nil
}

// check looks at the numbers of an entry.
func (e *Entry) check() error {
	if e.Window < 0 || e.MaxOutput < 0 {
		return fmt.Errorf("window and max_output are numbers of tokens, not below 0")
	}
	if len(e.Tiers) > 0 && e.Input == nil {
		return fmt.Errorf("it has tiers and no price below them")
	}
	above := int64(0)
	for i := range e.Tiers {
		switch t := &e.Tiers[i]; {
		case t.Input == nil || t.Output == nil:
			return fmt.Errorf("tier %d needs a price for input and for output", i+1)
		case t.Above <= above:
			return fmt.Errorf("tier %d begins above %d tokens; tiers rise, from above 0", i+1, t.Above)
		case len(t.Tiers) > 0:
			return fmt.Errorf("tier %d has tiers of its own", i+1)
		default:
			above = t.Above
		}
	}
	return nil
}

// MarshalJSON writes the entries.
func (t *Table) MarshalJSON() ([]byte, error) { return json.Marshal(t.entries) }

// UnmarshalJSON is [Parse].
func (t *Table) UnmarshalJSON(data []byte) error {
	read, err := Parse(data)
	if err == nil {
		*t = *read
	}
	return err
}

// Find gives the entry of a model: that of its very name, else the one with the longest
// matching beginning; of equal ones the last. Nil: the table does not know the model.
func (t *Table) Find(provider, model string) *Entry {
	var found *Entry
	best := -1
	for i := range t.entries {
		e := &t.entries[i]
		if e.Provider != provider {
			continue
		}
		begin, open := strings.CutSuffix(e.Match, "*")
		n := len(begin)
		switch {
		case e.Match == model:
			n = len(model) + 1
		case !open || !strings.HasPrefix(model, begin):
			continue
		}
		if n >= best {
			found, best = e, n
		}
	}
	return found
}

// With gives a table in which the entries of another one count before those of t.
func (t *Table) With(over *Table) *Table {
	if over == nil {
		return t
	}
	return &Table{append(append([]Entry(nil), t.entries...), over.entries...)}
}
