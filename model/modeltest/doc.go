// Package modeltest owns what tests of models share: a server that speaks Chat
// Completions from a script, a strict validator of what is sent to such a server, and the
// start of a mock server that others wrote. It shares no code with the adapters that it
// tests. Nothing outside of tests uses it. All of it may be used concurrently.
package modeltest
