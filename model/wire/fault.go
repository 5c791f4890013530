package wire

import (
	"errors"
	"net/http"

	"github.com/seed-cf6d8d1b/swarm/model"
)

// Incomplete is the error of an answer that broke off, or the cause itself when a
// transport has given an error of this kind.
func Incomplete(detail string, cause error) *model.Error {
	var own *model.Error
	if errors.As(cause, &own) {
		e := *own
		return &e
	}
	if cause != nil {
		detail += ": " + model.Clip(cause.Error(), 200)
	}
	return &model.Error{Class: model.ClassTransient, Code: "model.stream_incomplete", Detail: detail, Cause: cause}
}

// Invalid is the error of a success that holds no answer.
func Invalid(detail string, cause error) *model.Error {
	return &model.Error{Class: model.ClassTransient, Code: "model.invalid_upstream", Status: http.StatusOK, Detail: detail, Cause: cause}
}

// TooLarge is the error of an answer above the limits.
func TooLarge(detail string) *model.Error {
	return &model.Error{Class: model.ClassPermanent, Code: "model.answer_too_large", Detail: detail}
}
