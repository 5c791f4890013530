// Package swarmtest is the test kit: a model whose turns are given as values, the
// pairing validator as a probe, a clock that the test moves, a store that crashes at a
// chosen record, and a conformance test for providers. The product's own tests use nothing
// else.
package swarmtest
