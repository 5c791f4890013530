package agent

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/workspace"
)

const (
	previewChars = 3000 // of a long result that the model reads at once (results spec §3)
	wrapChars    = 3000 // longest line of a stored copy
)

// agentKey is the part of an invocation's path that names its stored results.
func agentKey(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// storedText is the write of a long result's readable copy.
func storedText(path, text string) workspace.Change {
	body := wrap(text)
	return workspace.Change{Path: path, Op: "write", New: workspace.HashOf([]byte(body)), Size: len(body), Chars: utf8.RuneCountInString(body), Content: body}
}

// wrap breaks lines that are too long to be read page by page.
func wrap(text string) string {
	var b strings.Builder
	n := 0
	for _, r := range text {
		if r == '\n' {
			n = 0
		} else if n++; n > wrapChars {
			b.WriteByte('\n')
			n = 1
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Sendable is what a model is given of a text of a human.
func Sendable(text string) string { return sendable(text) }

// sendable makes a text one that every provider takes: NUL and what is no UTF-8 become
// U+FFFD.
func sendable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// Readable is what a model reads of a text that came from outside: control characters
// are shown as escapes, and what is no UTF-8 as U+FFFD (results spec §6).
func Readable(text string) string { return workspace.Visible(strings.ToValidUTF8(text, "\uFFFD")) }

// copyPath is where the readable copy of a call's result stands.
func copyPath(path string, turn, index int, name string) string {
	return fmt.Sprintf("%s/calls/%s/t%d-c%d-%s.txt", workspace.ToolResults, agentKey(path), turn, index, name)
}

// preview is what the model reads of a long result. Hints name only tools it has.
func preview(text string, limit int, path, read, search string) string {
	why := "the limit for one result is " + workspace.Grouped(limit)
	return beginning(text, previewChars, utf8.RuneCountInString(text), why, path, read, search)
}

// beginning is the first part of a result of total characters, with what a model has to
// know to read on.
func beginning(text string, chars, total int, why, path, read, search string) string {
	head, _ := workspace.Head(text, chars)
	left := total - utf8.RuneCountInString(head)
	s := fmt.Sprintf("%s\n\n[The text above is not complete: it has %s characters, %s more than shown; %s.",
		head, workspace.Grouped(total), workspace.Grouped(left), why)
	if read != "" || search != "" {
		s += " The whole stands in " + path + "."
	}
	if read != "" {
		s += fmt.Sprintf(" Read on with %s {\"path\":%q,\"start_line\":1}.", read, path)
	}
	if search != "" {
		s += fmt.Sprintf(" Search it with %s {\"path\":%q,\"query\":\"…\"}.", search, path)
	}
	return s + "]"
}
