// Package modeltest owns what tests of models share: servers that speak Chat Completions,
// the Messages form and the generateContent form from a script, a strict validator of what
// is sent to each of them, and the start of a mock server that others wrote. It shares no
// code with the adapters that it tests. Nothing outside of tests uses it. All of it may be
// used concurrently.
package modeltest
