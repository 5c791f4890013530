// Package supervision owns the runtime's tree: the supervisor of runs and the run
// actors, which are the only writers of their runs' journals. It starts, resumes,
// recovers and ends runs, and it knows no rule of delegation or of a turn: it asks
// [delegate.State] and carries out what comes back.
package supervision
