// Package gemini owns how a model is asked over the generateContent form: the request's
// bytes, the reading and assembling of answers, streamed or not, and what a failed attempt
// means. One Answer is one attempt on the wire; it never retries, renames a tool, drops a
// call or invents one.
//
// The request is byte-stable: members stand in a fixed order with the contents last, so
// that the request of one turn is, up to closing brackets, a prefix of the next turn's.
// Calls have no ids on this wire: results stand in the order of their calls.
//
// Signatures of thoughts, and parts that nobody here understands, are native parts of the
// answer. They go back to their place in it, to the endpoint that gave them only. The first
// call of an answer that has no signature of this endpoint gets the placeholder that the
// service documents for calls of other models.
//
// An answer counts only with its proper end: a finish reason. Each deviation that is known
// from real servers and can occur on this wire is a byte file in testdata/deviations. Six
// rows of the models spec cannot, for this wire has no place for them:
//
//	D2   an index that is used twice: calls have none, as D01_no_index shows
//	D3   an index that begins at 1 or has holes: for the same reason
//	D6   a name that is repeated or empty later: a call comes whole
//	D7   a name in pieces: for the same reason; D33_pieces shows what is refused
//	D10  deltas of two calls interleaved: for the same reason
//	D22  function_call: there is no such member
//
// A server that puts a finish reason on every piece cannot be told from one whose stream
// was cut, so such an answer may end early without anybody noticing.
package gemini
