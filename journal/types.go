package journal

import "encoding/json"

// newPayload gives an empty payload of each type that this version knows.
var newPayload = map[Type]func() Payload{
	TRunCreated:          func() Payload { return new(RunCreated) },
	TRunStarted:          func() Payload { return new(RunStarted) },
	TRunPaused:           func() Payload { return new(RunPaused) },
	TRunParked:           func() Payload { return new(RunParked) },
	TRunResumed:          func() Payload { return new(RunResumed) },
	TRunCancelRequested:  func() Payload { return new(RunCancelRequested) },
	TRunEnded:            func() Payload { return new(RunEnded) },
	TOwnerChanged:        func() Payload { return new(OwnerChanged) },
	TGuidanceSubmitted:   func() Payload { return new(GuidanceSubmitted) },
	TGuidanceApplied:     func() Payload { return new(GuidanceApplied) },
	TGuidanceDiscarded:   func() Payload { return new(GuidanceDiscarded) },
	TInvocationCreated:   func() Payload { return new(InvocationCreated) },
	TInvocationWaiting:   func() Payload { return new(InvocationWaiting) },
	TInvocationContinued: func() Payload { return new(InvocationContinued) },
	TInvocationEnded:     func() Payload { return new(InvocationEnded) },
	TTaskCreated:         func() Payload { return new(TaskCreated) },
	TTaskQueued:          func() Payload { return new(TaskQueued) },
	TTaskStarted:         func() Payload { return new(TaskStarted) },
	TSlotLent:            func() Payload { return new(SlotLent) },
	TSlotTaken:           func() Payload { return new(SlotTaken) },
	TSlotFreed:           func() Payload { return new(SlotFreed) },
	TTaskReturnAccepted:  func() Payload { return new(TaskReturnAccepted) },
	TTaskCancelRequested: func() Payload { return new(TaskCancelRequested) },
	TTaskEnded:           func() Payload { return new(TaskEnded) },
	TTaskDelivered:       func() Payload { return new(TaskDelivered) },
	THandoffRequested:    func() Payload { return new(HandoffRequested) },
	THandoffSettled:      func() Payload { return new(HandoffSettled) },
	TModelRequested:      func() Payload { return new(ModelRequested) },
	TModelAttemptFailed:  func() Payload { return new(ModelAttemptFailed) },
	TModelAnswered:       func() Payload { return new(ModelAnswered) },
	TModelFailed:         func() Payload { return new(ModelFailed) },
	TTurnCorrected:       func() Payload { return new(TurnCorrected) },
	TTurnClosed:          func() Payload { return new(TurnClosed) },
	TResultsShown:        func() Payload { return new(ResultsShown) },
	TResultsSwept:        func() Payload { return new(ResultsSwept) },
	TImagesLeftOut:       func() Payload { return new(ImagesLeftOut) },
	TCompactionRequested: func() Payload { return new(CompactionRequested) },
	THistoryCompacted:    func() Payload { return new(HistoryCompacted) },
	TAnchorSet:           func() Payload { return new(AnchorSet) },
	TContextWarned:       func() Payload { return new(ContextWarned) },
	TCallRequested:       func() Payload { return new(CallRequested) },
	TCallChecked:         func() Payload { return new(CallChecked) },
	TCallDispatched:      func() Payload { return new(CallDispatched) },
	TCallSettled:         func() Payload { return new(CallSettled) },
	TWorkspaceOpened:     func() Payload { return new(WorkspaceOpened) },
	TFileChanged:         func() Payload { return new(FileChanged) },
	TCommitRequested:     func() Payload { return new(CommitRequested) },
	TCommitSettled:       func() Payload { return new(CommitSettled) },
	TBudgetExhausted:     func() Payload { return new(BudgetExhausted) },
	TActorFailed:         func() Payload { return new(ActorFailed) },
	TActorRestarted:      func() Payload { return new(ActorRestarted) },
	TLateEvent:           func() Payload { return new(LateEvent) },
	TRecoveryClassified:  func() Payload { return new(RecoveryClassified) },
	TTapeForked:          func() Payload { return new(TapeForked) },
	TTapeMerged:          func() Payload { return new(TapeMerged) },
	TTapeDiscarded:       func() Payload { return new(TapeDiscarded) },
}

// Type implements [Payload].
func (*RunCreated) Type() Type { return TRunCreated }

// Type implements [Payload].
func (*RunStarted) Type() Type { return TRunStarted }

// Type implements [Payload].
func (*RunPaused) Type() Type { return TRunPaused }

// Type implements [Payload].
func (*RunParked) Type() Type { return TRunParked }

// Type implements [Payload].
func (*RunResumed) Type() Type { return TRunResumed }

// Type implements [Payload].
func (*RunCancelRequested) Type() Type { return TRunCancelRequested }

// Type implements [Payload].
func (*RunEnded) Type() Type { return TRunEnded }

// Type implements [Payload].
func (*OwnerChanged) Type() Type { return TOwnerChanged }

// Type implements [Payload].
func (*GuidanceSubmitted) Type() Type { return TGuidanceSubmitted }

// Type implements [Payload].
func (*GuidanceApplied) Type() Type { return TGuidanceApplied }

// Type implements [Payload].
func (*GuidanceDiscarded) Type() Type { return TGuidanceDiscarded }

// Type implements [Payload].
func (*InvocationCreated) Type() Type { return TInvocationCreated }

// Type implements [Payload].
func (*InvocationWaiting) Type() Type { return TInvocationWaiting }

// Type implements [Payload].
func (*InvocationContinued) Type() Type { return TInvocationContinued }

// Type implements [Payload].
func (*InvocationEnded) Type() Type { return TInvocationEnded }

// Type implements [Payload].
func (*TaskCreated) Type() Type { return TTaskCreated }

// Type implements [Payload].
func (*TaskQueued) Type() Type { return TTaskQueued }

// Type implements [Payload].
func (*TaskStarted) Type() Type { return TTaskStarted }

// Type implements [Payload].
func (*SlotLent) Type() Type { return TSlotLent }

// Type implements [Payload].
func (*SlotTaken) Type() Type { return TSlotTaken }

// Type implements [Payload].
func (*SlotFreed) Type() Type { return TSlotFreed }

// Type implements [Payload].
func (*TaskReturnAccepted) Type() Type { return TTaskReturnAccepted }

// Type implements [Payload].
func (*TaskCancelRequested) Type() Type { return TTaskCancelRequested }

// Type implements [Payload].
func (*TaskEnded) Type() Type { return TTaskEnded }

// Type implements [Payload].
func (*TaskDelivered) Type() Type { return TTaskDelivered }

// Type implements [Payload].
func (*HandoffRequested) Type() Type { return THandoffRequested }

// Type implements [Payload].
func (*HandoffSettled) Type() Type { return THandoffSettled }

// Type implements [Payload].
func (*ModelRequested) Type() Type { return TModelRequested }

// Type implements [Payload].
func (*ModelAttemptFailed) Type() Type { return TModelAttemptFailed }

// Type implements [Payload].
func (*ModelAnswered) Type() Type { return TModelAnswered }

// Type implements [Payload].
func (*ModelFailed) Type() Type { return TModelFailed }

// Type implements [Payload].
func (*TurnCorrected) Type() Type { return TTurnCorrected }

// Type implements [Payload].
func (*TurnClosed) Type() Type { return TTurnClosed }

// Type implements [Payload].
func (*CallRequested) Type() Type { return TCallRequested }

// Type implements [Payload].
func (*CallChecked) Type() Type { return TCallChecked }

// Type implements [Payload].
func (*CallDispatched) Type() Type { return TCallDispatched }

// Type implements [Payload].
func (*CallSettled) Type() Type { return TCallSettled }

// Type implements [Payload].
func (*WorkspaceOpened) Type() Type { return TWorkspaceOpened }

// Type implements [Payload].
func (*FileChanged) Type() Type { return TFileChanged }

// Type implements [Payload].
func (*CommitRequested) Type() Type { return TCommitRequested }

// Type implements [Payload].
func (*CommitSettled) Type() Type { return TCommitSettled }

// Type implements [Payload].
func (*BudgetExhausted) Type() Type { return TBudgetExhausted }

// Type implements [Payload].
func (*ActorFailed) Type() Type { return TActorFailed }

// Type implements [Payload].
func (*ActorRestarted) Type() Type { return TActorRestarted }

// Type implements [Payload].
func (*LateEvent) Type() Type { return TLateEvent }

// Type implements [Payload].
func (*RecoveryClassified) Type() Type { return TRecoveryClassified }

// Type implements [Payload].
func (*TapeForked) Type() Type { return TTapeForked }

// Type implements [Payload].
func (*TapeMerged) Type() Type { return TTapeMerged }

// Type implements [Payload].
func (*TapeDiscarded) Type() Type { return TTapeDiscarded }

// Contents implements [Carrier].
func (p *RunCreated) Contents() []*Content { return []*Content{&p.Team, &p.Input} }

// Contents implements [Carrier].
func (p *RunEnded) Contents() []*Content { return []*Content{&p.Result} }

// Contents implements [Carrier].
func (p *GuidanceSubmitted) Contents() []*Content { return []*Content{&p.Text} }

// Contents implements [Carrier].
func (p *GuidanceApplied) Contents() []*Content { return []*Content{&p.Text} }

// Contents implements [Carrier].
func (p *InvocationCreated) Contents() []*Content {
	return []*Content{&p.Snapshot, &p.Prompt, &p.Brief}
}

// Contents implements [Carrier].
func (p *InvocationEnded) Contents() []*Content { return []*Content{&p.Text} }

// Contents implements [Carrier].
func (p *TaskCreated) Contents() []*Content { return []*Content{&p.Task} }

// Contents implements [Carrier].
func (p *TaskReturnAccepted) Contents() []*Content { return []*Content{&p.Result} }

// Contents implements [Carrier].
func (p *TaskEnded) Contents() []*Content { return []*Content{&p.Result} }

// Contents implements [Carrier].
func (p *TaskDelivered) Contents() []*Content { return []*Content{&p.Text} }

// Contents implements [Carrier].
func (p *HandoffRequested) Contents() []*Content { return []*Content{&p.Packet} }

// Contents implements [Carrier].
func (p *ModelAnswered) Contents() []*Content { return []*Content{&p.Text, &p.NativeBlob} }

// Contents implements [Carrier].
func (p *TurnCorrected) Contents() []*Content { return []*Content{&p.Text} }

// Contents implements [Carrier].
func (p *TurnClosed) Contents() []*Content { return []*Content{&p.Text} }

// Contents implements [Carrier].
func (p *CallRequested) Contents() []*Content { return []*Content{&p.Args} }

// Contents implements [Carrier].
func (p *CallSettled) Contents() []*Content {
	return []*Content{&p.Content, &p.StructuredBlob, &p.Stack}
}

// Data gives the structured form of the result, wherever it is kept; nil: none.
func (p *CallSettled) Data() json.RawMessage {
	if p.StructuredBlob.Text != "" {
		return json.RawMessage(p.StructuredBlob.Text)
	}
	return p.Structured
}

// Contents implements [Carrier].
func (p *FileChanged) Contents() []*Content { return []*Content{&p.Content} }

// Contents implements [Carrier].
func (p *ActorFailed) Contents() []*Content { return []*Content{&p.Stack} }
