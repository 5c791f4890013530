// Package openai owns how a model is asked over Chat Completions: the request's bytes,
// the reading and assembling of answers, streamed or not, and what a failed attempt means.
// It serves the service of that name and every server of that shape. One Answer is one
// attempt on the wire; it never retries, renames a tool, drops a call or invents one.
//
// The request is byte-stable: members stand in a fixed order with the messages last, so
// that the request of one turn is, up to closing brackets, a prefix of the next turn's.
//
// An answer counts only with its proper end: a finish reason. The calls of a stream are
// put together in slots, see slots.go; every deviation that is known from real servers
// is a byte file in testdata/deviations.
package openai
