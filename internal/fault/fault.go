// Package fault owns the one error type of the program. It never decides what an
// error leads to: scope and outcome are read by those who handle it.
package fault

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Error is a typed error. Code is `area.reason` in snake case and is what
// [errors.Is] compares; every other field is for people.
type Error struct {
	Code    string // never empty, e.g. "journal.stale_owner"
	Op      string // what was tried, e.g. "append"
	Subject string // on what, e.g. a run id or a path
	Detail  string // what is wrong, and the mend where one is known
	Cause   error  // may be nil
}

// New returns an error with a code and a formatted detail.
func New(code, format string, args ...any) *Error {
	return &Error{Code: code, Detail: fmt.Sprintf(format, args...)}
}

// Wrap returns an error with a code, a formatted detail and a cause.
func Wrap(cause error, code, format string, args ...any) *Error {
	return &Error{Code: code, Detail: fmt.Sprintf(format, args...), Cause: cause}
}

// Error gives what was tried, on what, what went wrong and why, and the code. The code of
// a cause that is the same is not said twice.
func (e *Error) Error() string {
	if text := e.text(); text != "" {
		return text + " [" + e.Code + "]"
	}
	return e.Code
}

// text is Error without the code of e.
func (e *Error) text() string {
	var b strings.Builder
	for _, s := range []string{e.Op, e.Subject, e.Detail} {
		if s == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(": ")
		}
		b.WriteString(s)
	}
	if e.Cause != nil {
		if b.Len() > 0 {
			b.WriteString(": ")
		}
		b.WriteString(strings.TrimSuffix(e.Cause.Error(), " ["+e.Code+"]"))
	}
	return b.String()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Is matches by code. Codes that end in a time-out or a cancel also match the errors
// of package context, also when the cause was lost in a journal.
func (e *Error) Is(target error) bool {
	var t *Error
	if errors.As(target, &t) {
		return t.Code == e.Code
	}
	switch target {
	case context.DeadlineExceeded:
		return strings.HasSuffix(e.Code, ".timeout") || e.Code == "ask.deadline"
	case context.Canceled:
		return strings.HasSuffix(e.Code, ".cancelled")
	}
	return false
}

// Code gives the code of the first [Error] in the chain of err, or "".
func Code(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// With sets what was tried and on what, and returns e.
func (e *Error) With(op, subject string) *Error {
	e.Op, e.Subject = op, subject
	return e
}
