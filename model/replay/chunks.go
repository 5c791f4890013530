package replay

import (
	"bytes"
	"strings"
)

// chunks cuts a body into the events of a stream, each with the time when its last byte
// came. A body that is no stream is one part.
func chunks(body []byte, reads []mark) []chunk {
	var out []chunk
	from, read := 0, 0
	cut := func(to int) {
		for read < len(reads)-1 && reads[read].end < to {
			read++
		}
		out = append(out, newChunk(reads[read].atMS, string(body[from:to])))
		from = to
	}
	if isStream(body) {
		for {
			n := eventEnd(body[from:])
			if n < 0 {
				break
			}
			cut(from + n)
		}
	}
	if from < len(body) {
		cut(len(body))
	}
	return out
}

// isStream says whether a body begins as a stream of events does.
func isStream(body []byte) bool {
	text := string(bytes.TrimLeft(body[:min(len(body), 64)], "\ufeff \r\n"))
	for _, begin := range []string{":", "data:", "event:", "id:", "retry:"} {
		if strings.HasPrefix(text, begin) {
			return true
		}
	}
	return false
}

// eventEnd gives the bytes up to the end of the first blank line, -1 for none. Lines end in
// LF, CRLF or CR.
func eventEnd(body []byte) int {
	for i := range body {
		if body[i] != '\n' && body[i] != '\r' {
			continue
		}
		for _, blank := range []string{"\n\n", "\r\r", "\r\n\r\n"} {
			if bytes.HasPrefix(body[i:], []byte(blank)) {
				return i + len(blank)
			}
		}
	}
	return -1
}
