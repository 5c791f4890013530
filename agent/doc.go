// Package agent owns one agent's conversation: profile, prompt, the turn loop as a
// state machine, and the actors of an invocation (the invocation itself, its model
// calls and its tool calls).
//
// A [Part] is the fold of an invocation's records. [Part.Answered] and its siblings
// turn an event into records, [Part.Next] says what has to be done in a state; both
// are pure. The invocation actor carries out. It proposes records to its run and acts
// on them only when the run has made them durable; it never appends by itself.
package agent
