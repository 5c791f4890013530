// Package input owns what a run is given: its text, a conversation, lore entries and
// files. It reads conversation and lore files, checks and freezes an input once at the
// start of a run, and says what the first agent is told of it. Everything after the
// freezing is a pure function of the frozen input, so that a resumed run begins with the
// same bytes. It never reads a file system, a clock or a journal, and it calls no model.
//
// Values are immutable once they are frozen and then safe for concurrent use.
package input
