// Package limit is the limiter: one actor for each key of a model provider, through which
// all runs of the process ask. It admits attempts by concurrency, requests and tokens a
// minute, pauses when the server says so, and serves runs and invocations in turn.
//
// It knows nothing of requests but who asks and about how many tokens. Several processes
// with one key do not know of each other: each adapts to what the server says.
package limit
