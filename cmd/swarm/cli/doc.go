// Package cli owns the commands of the program: their flags, their output and their exit
// codes. Every command is thin and calls package swarm. Only the result of a command goes
// to standard output; progress, warnings and errors go to standard error, in plain text.
//
// [Main] is the whole program but for the end of the process; it may be called several
// times in one process, one call after the other.
package cli
