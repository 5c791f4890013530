package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
)

var errLongBody = errors.New("a body is too long")

// split gives a request to send and its body, which may be at most so long. With
// [errLongBody] the request can be sent all the same.
func split(req *http.Request, most int) (*http.Request, []byte, error) {
	if req.Body == nil {
		return req, nil, nil
	}
	body, err := io.ReadAll(io.LimitReader(req.Body, int64(most)+1))
	out := req.Clone(req.Context())
	if err == nil && len(body) > most {
		out.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(body), req.Body), req.Body}
		return out, nil, errLongBody
	}
	if err := errors.Join(err, req.Body.Close()); err != nil {
		return nil, nil, err
	}
	out.Body = io.NopCloser(bytes.NewReader(body))
	return out, body, nil
}

// asJSON gives a body as one JSON value.
func asJSON(body []byte) json.RawMessage {
	if json.Valid(body) {
		return body
	}
	return appendQuoted(nil, string(body))
}

// listed gives the headers that may be recorded: what kind a body is, when to try again,
// and what is left of a limit (models spec §18). Where a redirect goes is part of its error.
func listed(h http.Header) http.Header {
	out := http.Header{}
	for name, values := range h {
		switch name {
		case "Content-Type", "Accept", "Anthropic-Version", "Retry-After", "Retry-After-Ms", "X-Should-Retry", "Location":
		default:
			if !strings.HasPrefix(name, "X-Ratelimit-") && !strings.HasPrefix(name, "Anthropic-Ratelimit-") {
				continue
			}
		}
		out[name] = append([]string(nil), values...)
	}
	return out
}
