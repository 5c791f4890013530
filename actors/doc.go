// Package actors is the engine: the only package of the program that imports
// protoactor-go. It owns mailboxes, supervision, asks, effects, timers, the gate,
// the drain and the tree view. It never knows what a run, an agent or a tool is.
//
// An [Actor] handles one message at a time and never blocks: what blocks is an
// effect ([Context.Effect]), what waits is a timer ([Context.After]) or an ask
// ([Context.Ask]), and each comes back as a message. State that matters lives in the
// journal; an actor's fields may vanish at any message.
//
// Of the library only the mailbox and its scheduling are used: an actor of ours is the
// invoker of a library mailbox, and its life, children, failures and deadlines are kept
// here. Control messages and outcomes travel in the same queue as mail, so that a child's
// result is handled before the news of its end.
//
// The methods of [System] are safe for concurrent use, those of [Context] belong to
// Receive. Goroutines run mailboxes and effects and are kept for the next one until
// [System.Shutdown]; an actor that has no mail has none.
package actors
