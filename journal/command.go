package journal

import (
	"errors"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// Kinds of commands, with their payloads.
const (
	CommandSay        = "say"         // the text
	CommandCancel     = "cancel"      // the reason
	CommandCancelTask = "cancel_task" // a [TaskCommand], JSON
	CommandPause      = "pause"       // none
	CommandTree       = "tree"        // none; it is answered with the live actors of the run, and no record
)

// Answers of the owner of a run to a command. A further one is what [Refuse] gives.
const (
	Recorded  = "recorded"  // a record carries the command out
	Duplicate = "duplicate" // there was nothing to record: what it asks for was asked for, or done, already
)

const refused = "refused: "

// Refuse gives the answer to a command that is not carried out: "refused: ", what is
// wrong, and its code in brackets.
func Refuse(err error) string {
	e := &fault.Error{Code: "command.refused"}
	if !errors.As(err, &e) {
		e.Detail = err.Error()
	}
	return refused + (&fault.Error{Code: e.Code, Detail: e.Detail}).Error()
}

// Refusal gives the typed error of an answer that [Refuse] made, nil for every other one.
// An answer of a program that gives no code has the code "command.refused".
func Refusal(answer string) error {
	text, ok := strings.CutPrefix(answer, refused)
	if !ok {
		return nil
	}
	code := "command.refused"
	if i := strings.LastIndex(text, " ["); i >= 0 && strings.HasSuffix(text, "]") {
		text, code = text[:i], text[i+2:len(text)-1]
	}
	return fault.New(code, "%s", text)
}
