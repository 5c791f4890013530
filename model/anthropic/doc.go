// Package anthropic owns how a model is asked over the Messages form: the request's bytes,
// the reading and assembling of answers, streamed or not, and what a failed attempt means.
// It serves the service of that name and every server of that shape. It never retries,
// renames a tool, drops a call or invents one. One Answer is one attempt; only a turn that
// the server has paused goes on in a further request, at most three times.
//
// The request is byte-stable: members stand in a fixed order with the messages last. Without
// its cache marks the request of one turn is, up to closing brackets, a prefix of the next
// turn's. Neighbouring messages of the user, the host and the results are one message on
// the wire, their blocks kept apart and the results first.
//
// Blocks that this package does not need itself, such as signed thinking, are native parts
// of the answer with their place in it, and go back to the endpoint that they came from.
//
// An answer counts only with its proper end: a stop reason. Each deviation that is known
// from real servers and can occur on this wire is a byte file in testdata/deviations.
// Four rows of the models spec cannot, for this wire has no place for them:
//
//	D6   a name repeated or empty later: only the start of a block has a name
//	D7   a name in pieces: for the same reason
//	D22  function_call: there is no such member
//	D23  reasoning_content, reasoning, <think>: reasoning has blocks of its own, D23_thinking
package anthropic
