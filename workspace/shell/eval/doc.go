// Package eval owns the evaluator of the shell's language: reading a text statement by
// statement, executing the statements, descriptors, pipelines, functions, jobs, traps and
// scripts. Expansion belongs to package expand, commands to the registry of the request.
//
// Everything that runs in one evaluation is a [Shell] of the same call: a subshell, a
// substitution, a stage of a pipeline and a nested bash are forks that share its budget. A
// Shell is used by one goroutine. What several of them share is in the call, or is an open
// file description, and guards itself.
//
// No program of the host is ever started, no signal is sent, and nothing outside the view
// of the request is read.
package eval
