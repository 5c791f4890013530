package model

// Estimates of tokens, in hundredths. They are meant to be a little high: what is asked
// with too much is refused, what is kept free costs nothing (models spec §14).
const (
	perLetter   = 25  // an ASCII letter or blank: four make a token
	perSign     = 45  // an ASCII digit or sign
	perLatin    = 50  // a character of two bytes: Latin with marks, Greek, Cyrillic, Arabic
	perSymbol   = 120 // a character of three bytes: CJK, Kana, Hangul and other scripts
	perRare     = 250 // a character of four bytes: emoji, rare signs
	perMessage  = 6   // tokens beside the text
	perCall     = 16
	perTool     = 12
	upward      = 110 // percent
	hundredths  = 100
	lowestRatio = 0.5
	highRatio   = 2.0
)

// Tokens estimates the tokens of a text.
func Tokens(s string) int64 {
	n := int64(0)
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == ' ':
			n += perLetter
		case c < 0x80:
			n += perSign
		case c >= 0xf0:
			n += perRare
		case c >= 0xe0:
			n += perSymbol
		case c >= 0xc0:
			n += perLatin
		}
	}
	return n / hundredths
}

// MessageTokens estimates the tokens of a message.
func MessageTokens(m *Message) int64 {
	n := perMessage + Tokens(m.Text)
	for i := range m.Calls {
		n += perCall + Tokens(m.Calls[i].Name) + Tokens(m.Calls[i].Args)
	}
	for i := range m.Results {
		n += perCall + Tokens(m.Results[i].Name) + Tokens(m.Results[i].Text)
	}
	for _, part := range m.Native {
		n += int64(len(part)) / 4
	}
	for i := range m.Images {
		n += ImageTokens(&m.Images[i])
	}
	for i := range m.Results {
		for j := range m.Results[i].Images {
			n += ImageTokens(&m.Results[i].Images[j])
		}
	}
	return n
}

// HeadTokens estimates what each request of an invocation repeats: system and tools.
func HeadTokens(system string, tools []ToolDef) int64 {
	n := perMessage + Tokens(system)
	for i := range tools {
		t := &tools[i]
		n += perTool + Tokens(t.Name) + Tokens(t.Description) + Tokens(string(t.Schema))
	}
	return n
}

// Meter estimates the tokens of the growing requests of one invocation. What a server has
// reported for a request corrects the estimate of the next one. The zero value is ready;
// it is a fold: the same calls give the same numbers.
type Meter struct {
	sum   int64   // estimate of everything so far
	base  int64   // sum when the server last reported
	real  int64   // what it reported; 0: never
	ratio float64 // running mean of reported by estimated; 0: 1
}

// Add counts what is added to the history.
func (m *Meter) Add(tokens int64) { m.sum += tokens }

// Reported tells what a server has read for the request that stood at the present sum.
func (m *Meter) Reported(input int64) {
	if input <= 0 || m.sum <= 0 {
		return
	}
	m.base, m.real = m.sum, input
	r := min(max(float64(input)/float64(m.sum), lowestRatio), highRatio)
	if m.ratio == 0 {
		m.ratio = r
		return
	}
	m.ratio = (3*m.ratio + r) / 4
}

// Estimate gives about how many tokens the next request reads: what was last reported and
// an estimate of what was added since.
func (m *Meter) Estimate() int64 {
	return m.real + m.Scale(m.sum-m.base)
}

// Restart forgets the history, which was shortened: tokens is the estimate of what is left.
func (m *Meter) Restart(tokens int64) { m.sum, m.base, m.real = tokens, 0, 0 }

// Wrote counts an answer of which the server has said how many tokens it has: tokens as it
// is read again, and what an estimate of it is.
func (m *Meter) Wrote(tokens, estimated int64) {
	m.sum += estimated
	m.base += estimated
	m.real += tokens
}

// Sum gives the estimate of everything so far, without what servers have reported.
func (m *Meter) Sum() int64 { return m.sum }

// Scale gives about how many tokens a server finds in what is estimated to have so many.
func (m *Meter) Scale(tokens int64) int64 {
	ratio := m.ratio
	if ratio == 0 {
		ratio = 1
	}
	return int64(float64(tokens) * ratio * upward / 100)
}
