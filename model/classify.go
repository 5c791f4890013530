package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// maxDetail bounds the text of a server in an error, in bytes.
const maxDetail = 600

// Reply is what a server said instead of an answer.
type Reply struct {
	Status int         // HTTP status; 0: none, as inside a stream
	Header http.Header // may be nil
	Body   []byte      // as received, JSON or not
	Now    time.Time   // to count dates of headers from; zero: such dates are ignored
}

// Classify makes an [*Error] of a reply that is not an answer. Status, code and type
// decide first, then one table of patterns of the message (models spec §13.1).
func Classify(r Reply) *Error {
	said := readFault(r.Body)
	status := r.Status
	if status == 0 || status == http.StatusOK {
		status = said.status
	}
	e := &Error{Status: status, RetryAfter: RetryAfter(r.Header, r.Now)}
	e.Class, e.Code = classOf(status, said)
	if e.RetryAfter == 0 {
		e.RetryAfter = said.retry
	}
	if e.Class == ClassRate && e.RetryAfter == 0 {
		e.RetryAfter = resetAfter(r.Header, r.Now)
	}
	switch r.Header.Get("X-Should-Retry") {
	case "false":
		if e.Retried() {
			e.Class = ClassPermanent
		}
	case "true":
		if e.Class == ClassPermanent {
			e.Class = ClassTransient
		}
	}
	e.Detail = describe(status, said)
	return e
}

// said is the content of an error body, whatever its shape.
type said struct {
	code, typ, message string
	status             int           // when the body names one
	retry              time.Duration // RetryInfo.retryDelay of the details
}

// readFault reads the shapes that servers use: an object or a text under "error", the
// members at the root, a list of one such object, or no JSON at all.
func readFault(body []byte) said {
	body = bytes.TrimSpace(body)
	if len(body) > 0 && body[0] == '[' {
		var list []json.RawMessage
		if json.Unmarshal(body, &list) == nil && len(list) > 0 {
			body = list[0]
		}
	}
	var root struct {
		Error   json.RawMessage
		Message json.RawMessage
		Detail  json.RawMessage
		Type    json.RawMessage
		Code    json.RawMessage
		Status  json.RawMessage
	}
	if json.Unmarshal(body, &root) != nil {
		return said{message: string(body)}
	}
	s := said{code: scalar(root.Code), typ: scalar(root.Type), message: scalar(root.Message)}
	if s.message == "" {
		s.message = scalar(root.Detail)
	}
	status := scalar(root.Status)
	var inner struct {
		Message, Type, Code, Status, Details json.RawMessage
	}
	if len(root.Error) > 0 && json.Unmarshal(root.Error, &inner) == nil {
		s.code, s.typ, s.message = scalar(inner.Code), scalar(inner.Type), scalar(inner.Message)
		status = scalar(inner.Status)
		s.retry = retryDelay(inner.Details)
	} else if text := scalar(root.Error); text != "" && s.message == "" {
		s.message = text
	}
	if s.message == "" {
		s.message = string(body)
	}
	for _, v := range []string{s.code, status} {
		if n, err := strconv.Atoi(v); err == nil && n >= 400 && n < 600 {
			s.status = n
		}
	}
	if _, err := strconv.Atoi(status); err != nil && s.typ == "" {
		s.typ = status // a symbolic status such as RESOURCE_EXHAUSTED
	}
	return s
}

// retryDelay finds the wait that a list of details names, such as "13.5s"; 0: none.
func retryDelay(details json.RawMessage) time.Duration {
	var list []struct{ RetryDelay json.RawMessage }
	if json.Unmarshal(details, &list) != nil {
		return 0
	}
	for _, d := range list {
		if t, err := time.ParseDuration(scalar(d.RetryDelay)); err == nil {
			return wait(float64(t))
		}
	}
	return 0
}

// scalar gives a JSON string or number as text, anything else as "".
func scalar(raw json.RawMessage) string {
	if len(raw) == 0 || raw[0] == '{' || raw[0] == '[' || string(raw) == "null" {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// sign is one row of the pattern tables: what a text says and what it means.
type sign struct {
	has   string // lower case
	class Class
	code  string
}

// codeSigns are looked for in code and type of an error.
var codeSigns = []sign{
	{"context_length_exceeded", ClassOverflow, "model.context_overflow"},
	{"exceed_context_size", ClassOverflow, "model.context_overflow"},
	{"request_too_large", ClassOverflow, "model.context_overflow"},
	{"insufficient_quota", ClassPermanent, "model.insufficient_quota"},
	{"billing", ClassPermanent, "model.insufficient_quota"},
	{"invalid_api_key", ClassAuth, "model.auth"},
	{"authentication_error", ClassAuth, "model.auth"},
	{"permission_error", ClassAuth, "model.auth"},
	{"unauthenticated", ClassAuth, "model.auth"},
	{"content_filter", ClassFilter, "model.content_filter"},
	{"content_policy", ClassFilter, "model.content_filter"},
	{"model_not_found", ClassPermanent, "model.unknown_model"},
	{"invalid_image", ClassPermanent, ImageRefused},
	{"image_parse_error", ClassPermanent, ImageRefused},
	{"image_too_large", ClassPermanent, ImageRefused},
	{"unsupported_image", ClassPermanent, ImageRefused},
	{"overloaded", ClassOverload, "model.overloaded"},
	{"unavailable", ClassOverload, "model.overloaded"},
	{"slow_down", ClassOverload, "model.overloaded"},
	{"rate_limit", ClassRate, "model.rate_limited"},
	{"resource_exhausted", ClassRate, "model.rate_limited"},
	{"tokens_per_min", ClassRate, "model.rate_limited"},
	{"too_many_requests", ClassRate, "model.rate_limited"},
}

// textSigns are looked for in the message, after the codes said nothing.
var textSigns = []sign{
	{"maximum context length", ClassOverflow, "model.context_overflow"},
	{"prompt is too long", ClassOverflow, "model.context_overflow"},
	{"exceeds the available context size", ClassOverflow, "model.context_overflow"},
	{"exceed context limit", ClassOverflow, "model.context_overflow"},
	{"context window", ClassOverflow, "model.context_overflow"},
	{"is not found for api version", ClassPermanent, "model.unknown_model"},
	{"missing a thought_signature", ClassPermanent, "model.native_metadata_lost"},
	{"must start with a thinking block", ClassPermanent, "model.native_metadata_lost"},
	{"must begin with a `thinking` block", ClassPermanent, "model.native_metadata_lost"},
	{"api key not valid", ClassAuth, "model.auth"},
	{"api key expired", ClassAuth, "model.auth"},
	{"exceeded your current quota", ClassPermanent, "model.insufficient_quota"},
	{"credit balance is too low", ClassPermanent, "model.insufficient_quota"},
	{"image.source", ClassPermanent, ImageRefused},
	{"could not process image", ClassPermanent, ImageRefused},
	{"unable to process input image", ClassPermanent, ImageRefused},
	{"provided image is not valid", ClassPermanent, ImageRefused},
	{"invalid image", ClassPermanent, ImageRefused},
	{"unsupported image", ClassPermanent, ImageRefused},
	{"unsupported mime type: image/", ClassPermanent, ImageRefused},
	{"image dimensions exceed", ClassPermanent, ImageRefused},
	{"image exceeds", ClassPermanent, ImageRefused},
	{"image_url is only supported", ClassPermanent, ImageRefused},
	{"image input is not supported", ClassPermanent, ImageRefused},
	{"support image input", ClassPermanent, ImageRefused},
	{"not a multimodal model", ClassPermanent, ImageRefused},
	{"content management policy", ClassFilter, "model.content_filter"},
	{"slow down", ClassOverload, "model.overloaded"},
	{"overloaded", ClassOverload, "model.overloaded"},
	{"rate limit", ClassRate, "model.rate_limited"},
	{"too many requests", ClassRate, "model.rate_limited"},
}

// ImageRefused is the code of a refusal that is about an image: the request is sent once
// more with a note in its place (models spec §9).
const ImageRefused = "model.image_refused"

// classOf gives class and code. An overflow, a quota and a policy are known by what the
// server says, under whatever status; the rest is decided by the status when it is told.
func classOf(status int, s said) (Class, string) {
	names := strings.ToLower(s.code + " " + s.typ)
	text := strings.ToLower(s.message)
	for _, g := range codeSigns {
		if strings.Contains(names, g.has) && believable(status, g.class) {
			return g.class, g.code
		}
	}
	if strings.Contains(text, "input token count") && strings.Contains(text, "exceeds") {
		return ClassOverflow, "model.context_overflow"
	}
	if strings.Contains(names, "not_found_error") && strings.HasPrefix(text, "model:") {
		return ClassPermanent, "model.unknown_model"
	}
	for _, g := range textSigns {
		if strings.Contains(text, g.has) && believable(status, g.class) {
			return g.class, g.code
		}
	}
	return classOfStatus(status)
}

// believable keeps a word in a message from overruling a status that says otherwise: a
// 400 that speaks of a rate limit stays a bad request, a 500 never becomes permanent by
// its text alone.
func believable(status int, c Class) bool {
	switch c {
	case ClassRate, ClassOverload:
		return status == 0 || status == http.StatusTooManyRequests || status >= 500
	case ClassAuth:
		return status == 0 || status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusBadRequest
	case ClassOverflow:
		return status != http.StatusUnauthorized && status != http.StatusForbidden && status != http.StatusTooManyRequests
	}
	return status != http.StatusUnauthorized
}

func classOfStatus(status int) (Class, string) {
	code := fmt.Sprintf("model.http_%d", status)
	switch status {
	case 0:
		return ClassTransient, "model.upstream_error"
	case http.StatusUnauthorized, http.StatusForbidden:
		return ClassAuth, "model.auth"
	case http.StatusTooManyRequests:
		return ClassRate, "model.rate_limited"
	case http.StatusServiceUnavailable, 529:
		return ClassOverload, "model.overloaded"
	case http.StatusRequestTimeout:
		return ClassTransient, code
	}
	if status >= 500 {
		return ClassTransient, code
	}
	return ClassPermanent, code
}

func describe(status int, s said) string {
	var parts []string
	if status != 0 {
		parts = append(parts, fmt.Sprintf("status %d", status))
	}
	for _, v := range []string{s.typ, s.code} {
		if v != "" && v != strconv.Itoa(status) && (len(parts) == 0 || parts[len(parts)-1] != v) {
			parts = append(parts, v)
		}
	}
	head := strings.Join(parts, ", ")
	text := Clip(s.message, maxDetail)
	switch {
	case head == "":
		return text
	case text == "":
		return head
	}
	return head + ": " + text
}

// Clip cuts a text of a server to at most n bytes, on a rune, and makes it valid UTF-8
// on one line.
func Clip(s string, n int) string {
	cut := false
	if len(s) > 4*n {
		s, cut = s[:4*n], true
	}
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "�")), " ")
	if len(s) > n {
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s, cut = s[:n], true
	}
	if cut {
		s += "…"
	}
	return s
}

// RetryAfter gives how long a server asks to wait: retry-after-ms, else retry-after in
// seconds or as a date. 0 when it says nothing or a time that is past.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if v := h.Get("Retry-After-Ms"); v != "" {
		if ms, err := strconv.ParseFloat(v, 64); err == nil {
			return wait(ms * float64(time.Millisecond))
		}
	}
	if v := strings.TrimSpace(h.Get("Retry-After")); v != "" {
		if sec, err := strconv.ParseFloat(v, 64); err == nil {
			return wait(sec * float64(time.Second))
		}
		if at, err := http.ParseTime(v); err == nil && !now.IsZero() {
			return max(at.Sub(now), 0)
		}
	}
	return 0
}

// resetAfter gives when the limits that have run out are full again: by the headers
// x-ratelimit-reset-* ("1s", "6m0s", "120ms"), and anthropic-ratelimit-*-reset, which are
// dates of RFC 3339.
func resetAfter(h http.Header, now time.Time) time.Duration {
	var longest time.Duration
	spent := func(left string) bool { return left == "" || left == "0" }
	for _, what := range []string{"Requests", "Tokens"} {
		if d, err := time.ParseDuration(h.Get("X-Ratelimit-Reset-" + what)); err == nil && spent(h.Get("X-Ratelimit-Remaining-"+what)) {
			longest = max(longest, d)
		}
	}
	for _, what := range []string{"Requests", "Tokens", "Input-Tokens", "Output-Tokens"} {
		name := "Anthropic-Ratelimit-" + what
		if at, err := time.Parse(time.RFC3339, h.Get(name+"-Reset")); err == nil && !now.IsZero() && spent(h.Get(name+"-Remaining")) {
			longest = max(longest, at.Sub(now))
		}
	}
	return longest
}

// wait makes a duration of nanoseconds that a server named: never negative, and never so
// long that it overflows.
func wait(ns float64) time.Duration {
	const most = float64(365 * 24 * time.Hour)
	if ns > 0 { // false for NaN
		return time.Duration(min(ns, most))
	}
	return 0
}
