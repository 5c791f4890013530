// Package delegate owns the state of a run as a whole and every decision that is not
// one invocation's own: tasks, delegate, await, handoff, return, cancel, the pool of
// children, the end of the run, and the capsules that carry results to a parent.
//
// A [State] is the fold of a run's records. Its decisions are pure: time and ids come
// in with the question, records and messages come out as a [Decision]. Only the run
// actor asks, and only it appends.
package delegate
