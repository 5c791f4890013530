package gemini

import (
	"encoding/json"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/model"
	"github.com/seed-cf6d8d1b/swarm/model/wire"
)

// Answer implements [wire.Assembly].
func (a *assembly) Answer() (*model.Answer, error) {
	if a.finish == "" {
		return nil, wire.Incomplete("the answer has no finish reason", nil)
	}
	out := &model.Answer{Reasoning: a.reasoning.Text(), Usage: a.usage.canonical(), Model: a.model, ID: a.id}
	texts := a.collect(out)
	reason := a.reason(len(out.Calls) > 0)
	switch {
	case reason == model.FinishFilter:
		return nil, filtered("the server's content filter ended the answer", a.finish, a.why)
	case a.finish == "MISSING_THOUGHT_SIGNATURE":
		return nil, &model.Error{Class: model.ClassPermanent, Code: "model.native_metadata_lost", Detail: joined(
			"the server misses the signature of a thought in the history", a.why)}
	case len(out.Calls) == 0 && strings.TrimSpace(out.Text) == "" && reason != model.FinishLength && reason != model.FinishBadCall:
		return nil, &model.Error{Class: model.ClassTransient, Code: "model.empty_answer", Detail: joined("an answer without text and without calls", a.why)}
	}
	out.Finish = reason
	out.Native = a.natives(out.Text, texts)
	return out, nil
}

// collect gives an answer its text and calls, and gives the text of each segment.
func (a *assembly) collect(out *model.Answer) []string {
	texts := make([]string, len(a.segments))
	for i, s := range a.segments {
		switch s.kind {
		case kindText:
			texts[i] = s.text.Text()
		case kindCall:
			out.Calls = append(out.Calls, s.call)
		}
	}
	out.Text = strings.Join(texts, "")
	return texts
}

// natives gives the native parts: signatures, calls that stand before text, and what
// nobody understands, each with its place.
func (a *assembly) natives(text string, texts []string) []json.RawMessage {
	var out []json.RawMessage
	at := native{}
	for i, s := range a.segments {
		n := at
		n.kind, n.data = s.kind, s.data
		switch s.kind {
		case kindText:
			n.size, n.data = len(texts[i]), s.signature
			at.text += len(texts[i])
		case kindCall:
			if n.data = s.signature; n.data == nil && at.text < len(text) {
				n.data = []byte(`null`)
			}
			at.calls++
		}
		if n.data != nil {
			out = append(out, a.p.part(n, text))
		}
	}
	return out
}

// reason gives the canonical finish reason. That there are calls decides between stop and
// calls, not what the server says.
func (a *assembly) reason(calls bool) model.Finish {
	switch a.finish {
	case "MAX_TOKENS":
		return model.FinishLength
	case "SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR",
		"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "IMAGE_OTHER":
		return model.FinishFilter
	case "STOP", "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS":
		switch {
		case calls:
			return model.FinishCalls
		case a.finish == "STOP":
			return model.FinishStop
		}
		return model.FinishBadCall
	}
	a.p.client.Notice("finish:"+model.Clip(a.finish, 64), "unknown finish reason")
	return model.Finish("unknown:" + model.Clip(a.finish, 64))
}

// filtered is the error of an answer or a request that the server holds back.
func filtered(what, reason, why string) *model.Error {
	return &model.Error{Class: model.ClassFilter, Code: "model.content_filter", Detail: joined(what+": "+model.Clip(reason, 64), why)}
}

// joined adds what the server says.
func joined(detail, why string) string {
	if why == "" {
		return detail
	}
	return detail + ": " + model.Clip(why, 300)
}
