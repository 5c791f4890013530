// Package worker is the worker's side of the contained shell (shell spec §3): the program
// started again by a [shell.Pool] to evaluate one call and die. It recognises itself, bounds
// itself, greets, blocks until it is given the call, and says frames until the last one. It
// never trusts the environment and opens no file: the view does.
package worker
