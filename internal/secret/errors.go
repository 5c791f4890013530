package secret

import (
	"errors"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// Error gives an error whose text has no value of the set. One that has none is returned as
// it is. Codes stay, and what the error is for [errors.Is].
func (s Set) Error(err error) error {
	if err == nil || s.Empty() {
		return err
	}
	text := err.Error()
	masked := s.Mask(text)
	if masked == text {
		return err
	}
	if e, ok := err.(*fault.Error); ok {
		return &fault.Error{Code: s.Mask(e.Code), Op: s.Mask(e.Op), Subject: s.Mask(e.Subject), Detail: s.Mask(e.Detail), Cause: s.Error(e.Cause)}
	}
	return &maskedError{masked, err}
}

// maskedError hides an error behind its masked text.
type maskedError struct {
	text string
	err  error
}

// Error implements error.
func (e *maskedError) Error() string { return e.text }

// Is says what the hidden error is.
func (e *maskedError) Is(target error) bool { return errors.Is(e.err, target) }

// As finds a typed error of the program, masked as well by its own text only.
func (e *maskedError) As(target any) bool {
	to, ok := target.(**fault.Error)
	if !ok {
		return false
	}
	var f *fault.Error
	if !errors.As(e.err, &f) {
		return false
	}
	*to = &fault.Error{Code: f.Code, Detail: e.text}
	return true
}
