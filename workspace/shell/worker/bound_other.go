//go:build !linux && !darwin

package worker

import "github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"

func bound(limits.Limits) error { return nil }

// isSocket says no: there are no workers on this system.
func isSocket(int) bool { return false }
