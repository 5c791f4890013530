package journal

import (
	"encoding/json"
	"fmt"
)

// What the context of an invocation became, so that it fits the window of its model
// (results spec §4, §5; models spec §14). Nothing that they hide is deleted: the records
// of the calls and answers stay.
type (
	// ResultsShown fixes what the model reads of the results of a turn that are too long
	// together. It stands before the request that shows them.
	ResultsShown struct {
		Results Content `json:"results_blob,omitzero"` // see [Projections]
		Count   int     `json:"count"`                 // results that are shown in another form than they had
	}
	// ResultsSwept shortens old results in the history.
	ResultsSwept struct {
		Results Content `json:"results_blob,omitzero"` // see [Projections]
		Count   int     `json:"count"`
		Share   int64   `json:"share"` // tokens that all results may have, estimated
	}
	// Projection is what a model reads of one result from now on.
	Projection struct {
		Call  string `json:"call"`
		Form  string `json:"form"`  // stored or stub
		Chars int    `json:"chars"` // of Text
		Text  string `json:"text"`
	}
	// CompactionRequested: a model is asked after this to put the turns From to To in short.
	CompactionRequested struct {
		Why      string `json:"why"` // window, overflow
		From     int    `json:"from"`
		To       int    `json:"to"`
		Provider string `json:"provider"`
		Model    string `json:"model"`
		Before   int64  `json:"before"` // tokens of the next request without it, estimated
	}
	// HistoryCompacted puts a text of the runtime in the place of the turns From to To.
	HistoryCompacted struct {
		Why      string  `json:"why"` // window, overflow, closing
		From     int     `json:"from"`
		To       int     `json:"to"`
		By       string  `json:"by"`                 // summary, digest, cut
		Provider string  `json:"provider,omitempty"` // of the model that was asked
		Model    string  `json:"model,omitempty"`
		Code     string  `json:"code,omitempty"` // why there is no summary of the model
		Text     Content `json:"text_blob,omitzero"`
		Before   int64   `json:"before"` // tokens of the next request, estimated
		After    int64   `json:"after"`
		Usage    Usage   `json:"usage,omitzero"` // of the model that was asked
	}
	// AnchorSet names a place of an invocation's conversation.
	AnchorSet struct {
		Name   string `json:"name"` // such as compaction/window
		Covers Span   `json:"covers"`
	}
	// Span is a range of turns, both ends included.
	Span struct {
		From int `json:"from"`
		To   int `json:"to"`
	}
	// ContextWarned tells people of something that they should look at.
	ContextWarned struct {
		Code   string `json:"code"` // context_truncated_suspected, context_summary_failed
		Detail string `json:"detail"`
	}
)

// Projections is the content of [ResultsShown] and [ResultsSwept] for a list.
func Projections(list []Projection) Content {
	b, err := json.Marshal(list)
	if err != nil {
		panic(err) // texts and numbers always encode
	}
	return Text(string(b))
}

// ReadProjections reads what [Projections] made.
func ReadProjections(c *Content) ([]Projection, error) {
	var list []Projection
	if err := json.Unmarshal([]byte(c.Text), &list); err != nil {
		return nil, fmt.Errorf("the shown results cannot be read: %w", err)
	}
	return list, nil
}

// Type implements [Payload].
func (*ResultsShown) Type() Type { return TResultsShown }

// Type implements [Payload].
func (*ResultsSwept) Type() Type { return TResultsSwept }

// Type implements [Payload].
func (*CompactionRequested) Type() Type { return TCompactionRequested }

// Type implements [Payload].
func (*HistoryCompacted) Type() Type { return THistoryCompacted }

// Type implements [Payload].
func (*AnchorSet) Type() Type { return TAnchorSet }

// Type implements [Payload].
func (*ContextWarned) Type() Type { return TContextWarned }

// Contents implements [Carrier].
func (p *ResultsShown) Contents() []*Content { return []*Content{&p.Results} }

// Contents implements [Carrier].
func (p *ResultsSwept) Contents() []*Content { return []*Content{&p.Results} }

// Contents implements [Carrier].
func (p *HistoryCompacted) Contents() []*Content { return []*Content{&p.Text} }
