//go:build !race

package worker

// shadow is how many bytes of data stand for one that the program asks for.
const shadow = 1
