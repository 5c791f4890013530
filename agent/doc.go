// Package agent owns one agent's conversation: profile, prompt, the turn loop as a
// state machine, and the actors of an invocation (the invocation itself, its model
// calls and its tool calls).
//
// A [Part] is the fold of an invocation's records. [Part.Answered] and its siblings
// turn an event into records, [Part.Next] says what has to be done in a state; both
// are pure. The invocation actor carries out. It proposes records to its run and acts
// on them only when the run has made them durable; it never appends by itself.
//
// What a request holds fits the window of its model. The fold keeps an estimate of its
// size; before each request [Part.Next] shortens results, and has the oldest turns put in
// short, by a model or by rule. Each such step is a record, so a resume decides alike.
package agent
