package swarm

import "github.com/seed-cf6d8d1b/swarm/journal"

// Record is one fact of a run, numbered 1, 2, 3 … by its Seq. What it says is its Payload,
// of one of the types below; its Scope says which agent, task, turn and call it is about.
// A record is shared by all who read it and must not be changed.
type Record = journal.Record

// Scope says what a [Record] is about; empty fields do not apply.
type Scope = journal.Scope

// Content is a text that a record carries; its Text is whole.
type Content = journal.Content

// Events is a stream of records; the last pair holds the error that ended it, if any.
type Events = journal.Events

// Usage is what model requests cost. A field that a server did not report is nil.
type Usage = journal.Usage

// Outcome is how a run, an agent, a task or a call ended.
type Outcome = journal.Outcome

// Outcomes, of records and of a [Result]. The last three are of a [Result] only: the run
// rests and can be resumed.
const (
	Completed   = "completed"
	Failed      = "failed"
	Cancelled   = "cancelled"
	Partial     = "partial"     // it ended before its work was done, with what there is of it
	Unknown     = "unknown"     // what it did outside is not known
	Transferred = "transferred" // of an agent: it handed the run over
	Paused      = "paused"
	Parked      = "parked"      // a human has to decide, e.g. about a damaged journal
	Interrupted = "interrupted" // the runtime was closed before the run had come to rest
)

// What records of a run say.
type (
	// RunCreated is the first record of a run, with its team and input.
	RunCreated = journal.RunCreated
	// RunStarted says which process has the run, anew after each takeover.
	RunStarted = journal.RunStarted
	// RunPaused says that the run rests and can be resumed.
	RunPaused = journal.RunPaused
	// RunParked says that a human has to decide before the run goes on.
	RunParked = journal.RunParked
	// RunResumed follows a pause, a parking or a crash.
	RunResumed = journal.RunResumed
	// RunCancelRequested says that somebody wants the run to end.
	RunCancelRequested = journal.RunCancelRequested
	// RunEnded is the terminal record of a run.
	RunEnded = journal.RunEnded
	// BudgetExhausted says which limit was reached.
	BudgetExhausted = journal.BudgetExhausted
	// RecoveryClassified says what a resume found open, and what becomes of it.
	RecoveryClassified = journal.RecoveryClassified
	// ActorFailed keeps the reason and the stack of a part of the runtime that failed.
	ActorFailed = journal.ActorFailed
)

// What records of an agent and of its tasks say.
type (
	// InvocationCreated says that an agent begins, with its prompt and its tools.
	InvocationCreated = journal.InvocationCreated
	// InvocationEnded is the terminal record of an agent.
	InvocationEnded = journal.InvocationEnded
	// TaskCreated is a delegation or a handoff that was admitted.
	TaskCreated = journal.TaskCreated
	// TaskQueued says that no slot was free.
	TaskQueued = journal.TaskQueued
	// TaskStarted says which agent works on the task.
	TaskStarted = journal.TaskStarted
	// TaskReturnAccepted holds what a child returned.
	TaskReturnAccepted = journal.TaskReturnAccepted
	// TaskCancelRequested says that somebody wants the task to end.
	TaskCancelRequested = journal.TaskCancelRequested
	// TaskEnded is the terminal record of a task.
	TaskEnded = journal.TaskEnded
	// TaskDelivered says that the parent was given the result.
	TaskDelivered = journal.TaskDelivered
	// HandoffRequested says that an agent wants to hand the run over.
	HandoffRequested = journal.HandoffRequested
	// HandoffSettled says what came of it.
	HandoffSettled = journal.HandoffSettled
)

// What records of turns, calls and files say.
type (
	// ModelRequested says that a request goes out.
	ModelRequested = journal.ModelRequested
	// ModelAttemptFailed says that one attempt brought no answer.
	ModelAttemptFailed = journal.ModelAttemptFailed
	// ModelAnswered holds the complete answer.
	ModelAnswered = journal.ModelAnswered
	// ModelFailed says that no attempt brought an answer.
	ModelFailed = journal.ModelFailed
	// TurnCorrected says that a turn was answered by a text of the runtime.
	TurnCorrected = journal.TurnCorrected
	// TurnClosed says that the last turn of a limit begins.
	TurnClosed = journal.TurnClosed
	// ResultsShown says how the model reads results of a turn that are too long together.
	ResultsShown = journal.ResultsShown
	// ResultsSwept says that old results are shortened in the conversation.
	ResultsSwept = journal.ResultsSwept
	// ImagesLeftOut says that a model is not shown images, and why.
	ImagesLeftOut = journal.ImagesLeftOut
	// CompactionRequested says that a model is asked to put the oldest turns in short.
	CompactionRequested = journal.CompactionRequested
	// HistoryCompacted holds the text that stands in the place of the oldest turns.
	HistoryCompacted = journal.HistoryCompacted
	// ContextWarned tells people what they should look at in an agent's conversation.
	ContextWarned = journal.ContextWarned
	// CallRequested says which tool the model calls, and with what.
	CallRequested = journal.CallRequested
	// CallDispatched says that the effect of a call may begin.
	CallDispatched = journal.CallDispatched
	// CallSettled is the one result of a call.
	CallSettled = journal.CallSettled
	// FileChanged says that a file of the run's workspace has a new state.
	FileChanged = journal.FileChanged
	// CommitRequested says that a file goes to [Options].OnCommit.
	CommitRequested = journal.CommitRequested
	// CommitSettled says what came of that.
	CommitSettled = journal.CommitSettled
)
