// Package wire is one attempt to ask a model server over HTTP, as every provider of the
// network makes it: address and key, time limits, what counts as a refusal, reading a
// stream of events or one JSON body, and the loose forms in which servers write JSON.
//
// It knows no provider: a provider encodes the request and gives an [Assembly] that puts
// the answer together. It never retries.
package wire
