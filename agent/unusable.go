package agent

import "github.com/seed-cf6d8d1b/swarm/model"

// Codes of failures that are worth one more attempt, and no third one.
const (
	codeEmpty   = "model.empty_answer"
	codeBadCall = "model.malformed_call"
)

// unusable gives the failure that an answer is; nil: the turn loop can use it. Calls decide
// before a server's word that it could not read one.
func unusable(a *model.Answer) *model.Error {
	switch {
	case a.Finish == model.FinishFilter:
		return &model.Error{Class: model.ClassFilter, Code: "model.content_filter", Detail: "the server's content filter ended the answer", Usage: a.Usage}
	case a.Finish == model.FinishOverflow: // what it says is cut, and could not go on
		return &model.Error{Class: model.ClassOverflow, Code: "model.context_overflow", Detail: "the model's window was full before the answer was complete", Usage: a.Usage}
	case malformed(a):
		return &model.Error{Class: model.ClassTransient, Code: codeBadCall, Detail: "the server could not read a call of its own model", Usage: a.Usage}
	}
	return nil
}

// malformed says whether all that came of an answer's calls is that one could not be read.
func malformed(a *model.Answer) bool { return a.Finish == model.FinishBadCall && len(a.Calls) == 0 }

// once keeps which failures of a request were tried again that are tried again once.
type once struct{ empty, badCall, key bool }

// take says whether a failure is such a one, and the first of its kind.
func (o *once) take(e *model.Error) (first, known bool) {
	var done *bool
	switch {
	case e.Code == codeEmpty:
		done = &o.empty
	case e.Code == codeBadCall:
		done = &o.badCall
	case e.Class == model.ClassAuth && e.Renewed:
		done = &o.key
	default:
		return false, false
	}
	first = !*done
	*done = true
	return first, true
}
