//go:build !race

package shell_test

// shadow is what the race detector takes of memory, as a factor.
const shadow = 1
