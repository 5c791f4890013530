// Package jq owns the commands jq and yq: options, inputs, output and messages around the
// query engine of gojq. Queries see the environment, the files and the clock of the call,
// never those of the process. Objects keep the order of their keys, as [order] says.
package jq
