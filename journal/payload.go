package journal

import (
	"encoding/json"
	"time"
)

// Record types that this version writes. See the journal page of the documentation
// for what each says.
const (
	TRunCreated         Type = "run_created"
	TRunStarted         Type = "run_started"
	TRunPaused          Type = "run_paused"
	TRunParked          Type = "run_parked"
	TRunResumed         Type = "run_resumed"
	TRunCancelRequested Type = "run_cancel_requested"
	TRunEnded           Type = "run_ended"
	TOwnerChanged       Type = "owner_changed"

	TGuidanceSubmitted Type = "guidance_submitted"
	TGuidanceApplied   Type = "guidance_applied"
	TGuidanceDiscarded Type = "guidance_discarded"

	TInvocationCreated   Type = "invocation_created"
	TInvocationWaiting   Type = "invocation_waiting"
	TInvocationContinued Type = "invocation_continued"
	TInvocationEnded     Type = "invocation_ended"
	TTaskCreated         Type = "task_created"
	TTaskQueued          Type = "task_queued"
	TTaskStarted         Type = "task_started"
	TSlotLent            Type = "slot_lent"
	TSlotTaken           Type = "slot_taken"
	TSlotFreed           Type = "slot_freed"
	TTaskReturnAccepted  Type = "task_return_accepted"
	TTaskCancelRequested Type = "task_cancel_requested"
	TTaskEnded           Type = "task_ended"
	TTaskDelivered       Type = "task_delivered"
	THandoffRequested    Type = "handoff_requested"
	THandoffSettled      Type = "handoff_settled"

	TModelRequested     Type = "model_requested"
	TModelAttemptFailed Type = "model_attempt_failed"
	TModelAnswered      Type = "model_answered"
	TModelFailed        Type = "model_failed"
	TTurnCorrected      Type = "turn_corrected"
	TTurnClosed         Type = "turn_closed"

	TResultsShown        Type = "results_shown"
	TResultsSwept        Type = "results_swept"
	TImagesLeftOut       Type = "images_left_out"
	TCompactionRequested Type = "compaction_requested"
	THistoryCompacted    Type = "history_compacted"
	TAnchorSet           Type = "anchor_set"
	TContextWarned       Type = "context_warned"

	TCallRequested  Type = "call_requested"
	TCallChecked    Type = "call_checked"
	TCallDispatched Type = "call_dispatched"
	TCallSettled    Type = "call_settled"

	TWorkspaceOpened Type = "workspace_opened"
	TFileChanged     Type = "file_changed"
	TCommitRequested Type = "commit_requested"
	TCommitSettled   Type = "commit_settled"

	TBudgetExhausted    Type = "budget_exhausted"
	TActorFailed        Type = "actor_failed"
	TActorRestarted     Type = "actor_restarted"
	TLateEvent          Type = "late_event"
	TRecoveryClassified Type = "recovery_classified"
	TTapeForked         Type = "tape_forked"
	TTapeMerged         Type = "tape_merged"
	TTapeDiscarded      Type = "tape_discarded"
)

// Outcome is how a run, invocation, task or call ended.
type Outcome string

// Outcomes. A call is never partial or transferred.
const (
	Completed   Outcome = "completed"
	Failed      Outcome = "failed"
	Cancelled   Outcome = "cancelled"
	Partial     Outcome = "partial"
	Unknown     Outcome = "unknown"
	Transferred Outcome = "transferred" // invocations only: control went to a handoff target
)

// Usage is what model requests cost. A field that a server did not report is nil.
type Usage struct {
	Requests   int    `json:"requests,omitempty"` // model attempts that were billed
	Input      *int64 `json:"input,omitempty"`    // tokens read, cached ones included
	CacheRead  *int64 `json:"cache_read,omitempty"`
	CacheWrite *int64 `json:"cache_write,omitempty"`
	Output     *int64 `json:"output,omitempty"` // reasoning included
	Reasoning  *int64 `json:"reasoning,omitempty"`

	Cost        *int64 `json:"cost_nanousd,omitempty"` // nano-dollars, of the requests whose cost is known; nil: of none
	CostMissing int    `json:"cost_missing,omitempty"` // requests whose cost is not known

	CostReported *int64 `json:"cost_reported_nanousd,omitempty"` // what servers have said that it cost, beside Cost; nil: none did
}

type (
	// RunCreated is the first record of a run.
	RunCreated struct {
		TeamHash   string            `json:"team_hash"`
		Team       Content           `json:"team_blob,omitzero"`   // the canonical team, JSON
		Input      Content           `json:"input_blob,omitzero"`  // the frozen input, JSON
		Name       string            `json:"name,omitempty"`       // of the team
		Durability string            `json:"durability,omitempty"` // "relaxed", or empty for full
		Labels     map[string]string `json:"labels,omitempty"`
	}
	// RunStarted is written again after each takeover.
	RunStarted struct {
		Host    string `json:"host"`
		Version string `json:"version"`
		Process int    `json:"process"`
	}
	// RunPaused: the run rests and can be resumed.
	RunPaused struct {
		Reason   string   `json:"reason"` // interactions, user, shutdown
		Open     []string `json:"open,omitempty"`
		Commands []int64  `json:"commands,omitempty"` // that asked for it
	}
	// RunParked: the run needs a decision of a human.
	RunParked struct {
		Reason string `json:"reason"`
		Code   string `json:"code"`
		AtSeq  int64  `json:"at_seq,omitempty"`
		Advice string `json:"advice,omitempty"`
	}
	// RunResumed follows a pause, a parking or a crash.
	RunResumed struct {
		From string `json:"from"` // paused, parked, crash
		By   string `json:"by,omitempty"`
	}
	// RunCancelRequested: somebody wants the run to end.
	RunCancelRequested struct {
		By      string `json:"by"`
		Reason  string `json:"reason,omitempty"`
		Command int64  `json:"command,omitempty"` // that asked for it; 0: none
	}
	// RunEnded is the run's terminal record.
	RunEnded struct {
		Outcome      Outcome       `json:"outcome"`
		Reason       string        `json:"reason"`
		Code         string        `json:"code,omitempty"`
		Result       Content       `json:"result_blob,omitzero"`
		Commits      []string      `json:"commits,omitempty"`
		Undelivered  []string      `json:"undelivered,omitempty"`
		Survivors    []string      `json:"survivors,omitempty"`
		UnknownCalls []string      `json:"unknown_calls,omitempty"`
		Warnings     []string      `json:"warnings,omitempty"`
		Usage        Usage         `json:"usage,omitzero"`
		Duration     time.Duration `json:"duration"`
	}
	// OwnerChanged: another process took the run over.
	OwnerChanged struct {
		Holder   string `json:"holder"`
		Epoch    int64  `json:"epoch"`
		Previous string `json:"previous,omitempty"`
	}
	// GuidanceSubmitted: a human has said something to the owner of the run.
	GuidanceSubmitted struct {
		ID      string  `json:"id"`
		Text    Content `json:"text_blob,omitzero"`
		By      string  `json:"by"`
		Command int64   `json:"command,omitempty"` // that it carries out; 0: none
	}
	// GuidanceApplied: the owner is given it, right before the request of the turn.
	GuidanceApplied struct {
		ID   string  `json:"id"`
		Text Content `json:"text_blob,omitzero"` // as it was submitted
	}
	// GuidanceDiscarded: nobody will be given it.
	GuidanceDiscarded struct {
		ID     string `json:"id"`
		Reason string `json:"reason"`
	}

	// InvocationCreated freezes everything that an invocation is made of.
	InvocationCreated struct {
		Path     string          `json:"path"`
		Kind     string          `json:"kind"` // root, child, handoff
		Profile  string          `json:"profile"`
		Depth    int             `json:"depth"`
		Chain    []string        `json:"chain,omitempty"` // profiles of the handoff chain, this one last
		Parent   string          `json:"parent,omitempty"`
		Task     string          `json:"task,omitempty"`
		Snapshot Content         `json:"snapshot_blob,omitzero"` // tooling snapshot, canonical JSON
		Prompt   Content         `json:"prompt_blob,omitzero"`   // system text
		Brief    Content         `json:"brief_blob,omitzero"`    // first user message
		Views    json.RawMessage `json:"views,omitempty"`
	}
	// InvocationWaiting says that an invocation only waits for others.
	InvocationWaiting struct {
		Cause string   `json:"cause"` // human, children, slot
		Refs  []string `json:"refs,omitempty"`
	}
	// InvocationContinued ends a wait.
	InvocationContinued struct {
		After string `json:"after"`
	}
	// InvocationEnded is the terminal record of an invocation.
	InvocationEnded struct {
		Outcome Outcome `json:"outcome"`
		Reason  string  `json:"reason"`
		Code    string  `json:"code,omitempty"`
		Text    Content `json:"text,omitzero"`
		Usage   Usage   `json:"usage,omitzero"`
		Turns   int     `json:"turns"`
		Calls   int     `json:"calls"`
	}
	// TaskCreated is a delegation or a transfer that was admitted.
	TaskCreated struct {
		ID        string        `json:"id"`
		Key       string        `json:"key"`
		Kind      string        `json:"kind"` // return_to_parent, transfer_control
		Agent     string        `json:"agent"`
		Parent    string        `json:"parent"` // agent path
		ByCall    string        `json:"by_call"`
		Task      Content       `json:"task_blob,omitzero"` // the task or handoff object, canonical JSON
		Isolation string        `json:"isolation,omitempty"`
		Deadline  time.Duration `json:"deadline,omitempty"` // active time; 0: none
	}
	// TaskQueued: no slot was free.
	TaskQueued struct {
		Position int `json:"position"` // 1-based
		Limit    int `json:"limit"`
	}
	// TaskStarted: the task holds a slot and has an invocation.
	TaskStarted struct {
		Invocation string `json:"invocation"`
	}
	// SlotLent and SlotTaken: a member of a pool lends its slot while it only waits.
	SlotLent struct {
		Cause string `json:"cause"`
	}
	// SlotTaken: see [SlotLent].
	SlotTaken struct{}
	// SlotFreed: the member's actor has terminated.
	SlotFreed struct{}
	// TaskReturnAccepted holds what a child returned.
	TaskReturnAccepted struct {
		Status  string   `json:"status"` // completed, failed
		Summary string   `json:"summary"`
		Result  Content  `json:"result_blob,omitzero"` // the whole normalised return, canonical JSON
		Tools   []Count  `json:"tools_used,omitempty"`
		Changed []string `json:"changed,omitempty"`
	}
	// Count is a name and how often.
	Count struct {
		Name string `json:"name"`
		N    int    `json:"n"`
	}
	// TaskCancelRequested: somebody wants the task's subtree to end.
	TaskCancelRequested struct {
		By      string `json:"by"`
		Reason  string `json:"reason,omitempty"`
		Command int64  `json:"command,omitempty"` // that asked for it; 0: none
	}
	// TaskEnded is the terminal record of a task.
	TaskEnded struct {
		Outcome   Outcome  `json:"outcome"`
		Reason    string   `json:"reason,omitempty"`
		Result    Content  `json:"result_blob,omitzero"` // the capsule's parts, canonical JSON
		Usage     Usage    `json:"usage,omitzero"`
		Survivors []string `json:"survivors,omitempty"`
	}
	// TaskDelivered: the parent has been given a task's result, once.
	TaskDelivered struct {
		To    string  `json:"to"`
		Via   string  `json:"via"`           // await, auto, handoff
		Text  Content `json:"text,omitzero"` // as shown; empty for await, whose call holds it
		Shown int     `json:"shown_chars"`
		Cut   bool    `json:"cut,omitempty"`
	}
	// HandoffRequested: a transfer of control was asked for.
	HandoffRequested struct {
		Target string  `json:"target"`
		Policy string  `json:"policy"`
		Packet Content `json:"packet_blob,omitzero"`
	}
	// HandoffSettled says what came of it.
	HandoffSettled struct {
		Accepted bool     `json:"accepted"`
		Code     string   `json:"code,omitempty"`
		Chain    []string `json:"chain,omitempty"`
	}

	// ModelRequested: a request goes out after this.
	ModelRequested struct {
		Provider string `json:"provider"`
		Model    string `json:"model"`
		Messages int    `json:"messages"` // of the history that is sent
		Closing  bool   `json:"closing,omitempty"`
		Estimate int64  `json:"estimate,omitempty"` // tokens that it is about to read; 0: not estimated

		Reserve Reserve `json:"reserve,omitzero"` // held back in the budgets until the answer is there

		Fallback string   `json:"fallback,omitempty"` // name in the team of the model that stands in for the profile's; empty: none does
		Skipped  []string `json:"skipped,omitempty"`  // fallbacks that could not take the request, each with the reason
	}
	// Reserve is about what a request will use.
	Reserve struct {
		Tokens int64 `json:"tokens,omitempty"`
		Cost   int64 `json:"cost_nanousd,omitempty"`
	}
	// ModelAttemptFailed: one attempt brought no answer.
	ModelAttemptFailed struct {
		Attempt    int           `json:"attempt"`
		Class      string        `json:"class"`
		Code       string        `json:"code"`
		Detail     string        `json:"detail,omitempty"`
		Status     int           `json:"status,omitempty"`
		RetryAfter time.Duration `json:"retry_after,omitempty"`
		Window     int           `json:"window,omitempty"` // tokens, when the server named it: the request was too long
		Usage      Usage         `json:"usage,omitzero"`   // that the server has reported all the same
	}
	// ModelAnswered holds the complete answer.
	ModelAnswered struct {
		Attempt    int             `json:"attempt"`
		Text       Content         `json:"text,omitzero"`
		Native     json.RawMessage `json:"native,omitempty"`     // opaque parts, in order
		NativeBlob Content         `json:"native_blob,omitzero"` // instead of Native, when that is long
		Calls      int             `json:"calls"`
		Stop       string          `json:"stop"` // canonical finish reason
		Usage      Usage           `json:"usage,omitzero"`
		Model      string          `json:"model,omitempty"` // as reported
	}
	// ModelFailed: no attempt brought an answer.
	ModelFailed struct {
		Class    string `json:"class"`
		Code     string `json:"code"`
		Detail   string `json:"detail,omitempty"`
		Attempts int    `json:"attempts"`
		Usage    Usage  `json:"usage,omitzero"` // of the last attempt, that the server has reported all the same
	}
	// TurnCorrected: a bad or text-only turn got a host message.
	TurnCorrected struct {
		Rule    string  `json:"rule"`
		Count   int     `json:"count"`
		Bound   int     `json:"bound"`
		Text    Content `json:"text_blob,omitzero"` // the host message
		Instead string  `json:"instead,omitempty"`  // "guidance": what a human said stands in its place
	}
	// TurnClosed: the closing turn of a budget begins.
	TurnClosed struct {
		Reason string  `json:"reason"`
		Text   Content `json:"text_blob,omitzero"` // the host message
	}

	// CallRequested: the model asked for a call.
	CallRequested struct {
		Index          int     `json:"index"`
		Tool           string  `json:"tool,omitempty"` // tool id; empty when unknown
		Name           string  `json:"name_as_called"`
		ProviderCallID string  `json:"provider_call_id,omitempty"`
		Args           Content `json:"args,omitzero"` // canonical bytes, or the raw text when invalid
		ArgsHash       string  `json:"args_hash,omitempty"`
		Invalid        bool    `json:"invalid,omitempty"` // args_state: invalid
		Class          string  `json:"class,omitempty"`   // effect class
		Idempotent     bool    `json:"idempotent,omitempty"`
		Counted        bool    `json:"counted,omitempty"` // in the call budgets
	}
	// CallChecked says who allowed or denied a call.
	CallChecked struct {
		Decision string `json:"decision"` // allow, ask, deny
		By       string `json:"by"`
	}
	// CallDispatched: the effect may begin after this.
	CallDispatched struct {
		ArgsHash string            `json:"args_hash"`
		Gate     string            `json:"gate,omitempty"`
		Order    uint64            `json:"order,omitempty"`
		Pre      map[string]string `json:"pre,omitempty"`
		Intended map[string]string `json:"intended,omitempty"`
	}
	// CallSettled is the one result of a call.
	CallSettled struct {
		Outcome    Outcome         `json:"outcome"`
		Dispatched bool            `json:"dispatched"`
		Code       string          `json:"code,omitempty"` // set exactly when the result is an error
		Content    Content         `json:"content_blob,omitzero"`
		Structured json.RawMessage `json:"structured,omitempty"`
		// StructuredBlob holds the structured form instead when it is over [MaxInline] bytes.
		StructuredBlob Content `json:"structured_blob,omitzero"`

		Observed []Observed    `json:"observed,omitempty"`    // what the call saw of files
		Images   []Image       `json:"attachments,omitempty"` // shown to models that see
		Cut      bool          `json:"cut,omitempty"`
		Stack    Content       `json:"stack_blob,omitzero"`
		Duration time.Duration `json:"duration,omitempty"`
	}
	// Observed is what a call saw of one file: the read-state is a fold of these.
	Observed struct {
		Path  string `json:"path"`
		Hash  string `json:"hash"`
		Full  bool   `json:"full,omitempty"`
		Start int    `json:"start,omitempty"` // characters, when not full
		End   int    `json:"end,omitempty"`
		// Failed marks a failed patch of a partly read file: a full read is needed next.
		Failed bool `json:"failed,omitempty"`
	}

	// WorkspaceOpened is written once per run.
	WorkspaceOpened struct {
		Roots  []string `json:"roots"`
		Mounts []string `json:"mounts,omitempty"`
	}
	// FileChanged is a state transition of one file of the run workspace.
	FileChanged struct {
		Path    string  `json:"path"`
		Kind    string  `json:"kind,omitempty"` // empty: a file; link: Content is its target; dir: an empty directory
		Op      string  `json:"op"`             // write, append, patch, delete, move
		Old     string  `json:"old,omitempty"`
		New     string  `json:"new,omitempty"`
		Size    int     `json:"size"`
		Chars   int     `json:"chars"`
		Exec    bool    `json:"exec,omitempty"`
		ByCall  string  `json:"by_call,omitempty"`
		Content Content `json:"content,omitzero"` // of the new state
	}
	// CommitRequested: these bytes go to the host after this.
	CommitRequested struct {
		Commit string `json:"commit"`
		Number int    `json:"number"`
		Path   string `json:"path"`
		Mode   string `json:"mode"`
		Hash   string `json:"hash"`
		Chars  int    `json:"chars"`
		Reason string `json:"reason,omitempty"`
	}
	// CommitSettled says what the host answered.
	CommitSettled struct {
		Commit  string  `json:"commit"`
		Outcome Outcome `json:"outcome"`
		Ref     string  `json:"ref,omitempty"`
		Reason  string  `json:"reason,omitempty"`
	}

	// BudgetExhausted: a limit was reached.
	BudgetExhausted struct {
		What  string `json:"what"`
		Used  int64  `json:"used"`
		Limit int64  `json:"limit"`
	}
	// ActorFailed keeps the reason and stack of a failed actor.
	ActorFailed struct {
		Path        string  `json:"path"`
		Incarnation int     `json:"incarnation"`
		Reason      string  `json:"reason"`
		Stack       Content `json:"stack_blob,omitzero"`
		Restarts    int     `json:"restarts"`
	}
	// ActorRestarted follows [ActorFailed].
	ActorRestarted struct {
		Path        string `json:"path"`
		Incarnation int    `json:"incarnation"`
	}
	// LateEvent is what lost a race.
	LateEvent struct {
		Of      string `json:"of"`
		Claim   string `json:"claim"`
		By      string `json:"by"`
		Because string `json:"ignored_because"`
	}
	// RecoveryClassified says what a resume found.
	RecoveryClassified struct {
		Calls []ClassifiedCall `json:"calls,omitempty"`
		Tasks []string         `json:"tasks,omitempty"`
	}
	// ClassifiedCall is one open call at a resume.
	ClassifiedCall struct {
		Key    string `json:"key"`
		Class  string `json:"class"`
		Action string `json:"action"`
	}
	// TapeForked: a child's conversation begins.
	TapeForked struct {
		Tape       string `json:"tape"`
		Parent     string `json:"parent"`
		ParentHead int64  `json:"parent_head"`
	}
	// TapeMerged is the receipt of a child that completed or partly did.
	TapeMerged struct {
		Tape    string  `json:"tape"`
		Head    int64   `json:"head"`
		Outcome Outcome `json:"outcome"`
	}
	// TapeDiscarded is the receipt of any other child.
	TapeDiscarded struct {
		Tape   string `json:"tape"`
		Head   int64  `json:"head"`
		Reason string `json:"reason"`
	}
)
