//go:build race

package worker

// shadow is how many bytes of data stand for one that the program asks for: the race
// detector notes every access.
const shadow = 8
