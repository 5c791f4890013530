//go:build !race

package swarm_test

// raced says that the race detector is on, which makes everything larger and slower.
const raced = false
