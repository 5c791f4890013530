// Package jq owns the commands jq and yq: options, inputs, output, and the evaluator of the
// language, whose programs are read by the parser of gojq. A program is compiled into nodes
// that hand on their results one by one; objects keep the order of their keys. Queries see
// the environment, the files and the clock of the call, never those of the process.
package jq
