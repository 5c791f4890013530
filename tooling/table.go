package tooling

import (
	"slices"
	"strings"
)

// Ids of the built-ins that the completion protocol treats by name.
const (
	IDReturn       = "builtin:task.return"
	IDFinish       = "builtin:workspace.finish"
	IDCommit       = "builtin:workspace.commit"
	IDHandoff      = "builtin:agent.handoff"
	IDDelegate     = "builtin:agent.delegate"
	IDAwait        = "builtin:agent.await"
	IDReadResult   = "builtin:agent.read_result"
	IDCancel       = "builtin:agent.cancel"
	IDMerge        = "builtin:agent.merge"
	IDDiscard      = "builtin:agent.discard"
	IDList         = "builtin:agent.list"
	IDOrchestrator = "builtin:subagent_orchestrator"
	IDPlan         = "builtin:update_plan"
	IDDice         = "builtin:dice.roll"
	IDQuestion     = "builtin:question"
)

// Entry is a row of the table of built-ins (tools spec §2).
type Entry struct {
	Native   string
	Exposure Exposure
}

// ID is the full tool id.
func (e Entry) ID() string { return builtinID(e.Native) }

// table is the order of tools spec §2.
var table = [...]Entry{
	{"chat.search", UserTool},
	{"chat.read_messages", UserTool},
	{"worldinfo.read_activated", UserTool},
	{"workspace.list_files", UserTool},
	{"workspace.search_files", UserTool},
	{"workspace.read_file", UserTool},
	{"workspace.write_file", UserTool},
	{"workspace.apply_patch", UserTool},
	{"workspace.shell", UserTool},
	{"workspace.commit", UserTool},
	{"workspace.finish", SystemTool},
	{"agent.list", UserTool},
	{"agent.delegate", UserTool},
	{"agent.await", UserTool},
	{"agent.read_result", UserTool},
	{"agent.cancel", UserTool},
	{"agent.merge", UserTool},
	{"agent.discard", UserTool},
	{"agent.handoff", UserTool},
	{"subagent_orchestrator", UserTool},
	{"task.return", SystemTool},
	{"dice.roll", UserTool},
	{"read", UserTool},
	{"glob", UserTool},
	{"grep", UserTool},
	{"write", UserTool},
	{"edit", UserTool},
	{"exec", UserTool},
	{"process", UserTool},
	{"question", UserTool},
	{"update_plan", UserTool},
	{"image_generate", UserTool},
	{"tape_search", SystemTool},
	{"tape_context", SystemTool},
	{"tape_info", DiagnosticTool},
	{"tape_anchors", DiagnosticTool},
	{"tape_handoff", RuntimeTool},
	{"skill_list", UserTool},
	{"skill_view", UserTool},
}

// Table gives every built-in of the specification in its order, also those that a
// program does not register: their names are reserved all the same, so that a name never
// changes its meaning when they come.
func Table() []Entry { return slices.Clone(table[:]) }

// rank is the position of a built-in in the table, or -1.
func rank(id string) int {
	native, ok := strings.CutPrefix(id, sourceBuiltin+":")
	if !ok {
		return -1
	}
	for i, e := range table {
		if e.Native == native {
			return i
		}
	}
	return -1
}

// isDelegation says whether a tool belongs to delegating work.
func isDelegation(id string) bool {
	switch id {
	case IDList, IDDelegate, IDAwait, IDReadResult, IDCancel, IDMerge, IDDiscard, IDOrchestrator:
		return true
	}
	return false
}

// finishing says whether a call of the tool ends or publishes the invocation's work and
// is thus never refused for want of calls.
func finishing(id string) bool { return id == IDFinish || id == IDReturn || id == IDCommit }
