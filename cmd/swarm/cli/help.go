package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// afterword is what the help of a command says at its end.
type afterword struct {
	exits string // what its exit codes mean: "CODE meaning", parted by "; "
	read  string // where to read on
}

// ordinary is that of a command that has none of its own.
var ordinary = afterword{"0 done; 1 failed; 2 bad usage", "docs/operations.md"}

// afterwords are those of commands whose exit codes say more, by path below the program.
var afterwords = map[string]afterword{
	"init":          {"0 written; 2 something is there already and nothing was written", "docs/quick-start.md"},
	"check":         {"0 good (there may be warnings); 2 faults", "docs/team-file.md"},
	"config schema": {"0 done; 2 bad usage", "docs/team-file.md"},
	"run":           {"0 completed; 1 failed; 2 bad usage or team; 3 paused; 4 partial; 6 parked or unknown; 130 cancelled", "docs/quick-start.md"},
	"resume":        {"0 completed; 1 failed or held by another process; 2 bad usage; 3 paused; 4 partial; 6 parked or unknown; 130 cancelled", "docs/operations.md"},
	"cancel":        {"0 ended, or stored for the next owner; 1 there is no such run, or it has ended; 2 bad usage", "docs/operations.md"},
	"say":           {"0 recorded, or stored for the next owner; 1 there is no such run, it has ended, or the text was refused; 2 bad usage, or a text that is empty or too long", "docs/operations.md"},
	"pause":         {"0 paused, at rest already, or stored; 1 there is no such run, or it has ended; 2 bad usage", "docs/operations.md"},
	"show":          {"0 done; 1 there is no such run, or with --tree nobody owns it; 2 bad usage; 6 the journal is damaged", "docs/operations.md"},
	"events":        {"0 done; 1 there is no such run; 2 bad usage; 6 the journal is damaged; 130 interrupted", "docs/json.md"},
	"runs":          {"0 done, also when no run matches; 1 there is no data; 2 bad usage", "docs/json.md"},
	"files":         {"0 done; 1 there is no such run; 2 bad usage or path; 6 the journal is damaged", "docs/operations.md"},
	"diff":          {"0 done, also without a change; 1 there is no such run; 2 bad usage or path; 6 the journal is damaged", "docs/operations.md"},
	"tools":         {"0 done; 2 bad usage or team", "docs/tools.md"},
	"call":          {"0 done, also with --explain; 1 the result is an error; 2 bad usage, or the tool is not there; 5 denied; 130 interrupted", "docs/tools.md"},
	"metrics":       {"0 done; 1 nobody answers there; 2 bad usage or team", "docs/metrics.md"},
	"doctor":        {"0 nothing is broken (there may be warnings); 1 something is broken; 2 bad usage; 130 interrupted", "docs/operations.md"},
	"version":       {"0 done; 2 bad usage", "CHANGELOG.md"},
}

// finishHelp ends the help of every command with its exit codes and where to read on.
func finishHelp(cmd *cobra.Command, usage string) {
	for _, c := range cmd.Commands() {
		finishHelp(c, usage)
	}
	path := strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()), " ")
	a, ok := afterwords[path]
	if !ok {
		a = ordinary
	}
	codes := ""
	for line := range strings.SplitSeq(a.exits, "; ") {
		code, meaning, _ := strings.Cut(line, " ")
		codes += fmt.Sprintf("  %-4s %s\n", code, meaning)
	}
	cmd.SetUsageTemplate(usage + "\nExit codes (swarm help exit-codes has them all):\n" + codes + "\nRead on: " + a.read + "\n")
}

// jsonTopic is the help topic json.
const jsonTopic = `One JSON value on standard output, or one a line where many come one after the other.
Fields are only ever added, so pass over what you do not know; "json_version" of
swarm version --json is raised when a field changes its meaning or goes. docs/json.md
has every field with its type.

run, resume   the records of the run as they happen, one a line, and as the last line
              {"type":"result","run","outcome","reason","code","text","files","usage",
              "cost_usd","cost_complete","open"}
events        the records of the run, one a line:
              {"v","run","epoch","seq","prev","at","type","scope","payload","blobs","sum"}
runs          one run a line: {"run","team","state","created","updated","last_seq",
              "epoch","holder","labels"}
show          {"run","team","state","reason","code","limit","input","labels","records",
              "duration_ns","usage","agents","text","published","files"}; with --tree
              {"run","actors":[{"path","agent","profile","kind","state","incarnation",
              "restarts","mailbox","waits_for","since"}]}
files         {"run","out","files":[{"path","chars","bytes","sha256","executable","by","seq"}]}
diff          {"run","files":[{"path","change","by","added","removed","omitted","diff"}]}
tools         {"team","agents":[{"agent","kind","kinds","model","tools","left_out","prompt"}]}
call          {"agent","kind","tool","name","outcome","code","text","data","dispatched",
              "duration_ns","files"}; with --explain {…,"decision","steps"}
shell         {"outcome","exit_code","reason","limit","stdout","stderr","left_out",
              "duration_ns"}
check         {"team","ok","faults":[{"file","line","column","code","text","mend","warning"}]}
config schema a JSON Schema
cancel, pause, say   {"run","command","id","state","answer","survivors"}
init          {"dir","files"}
doctor        {"ok","version","go","checks":[{"check","state","text","mend","run","seq"}]}
metrics       {"team","series":[{"name","type","labels","help"}],"values"}; with --addr
              {"addr","series":[{…,"count"}]}
version       {"version","go","os","arch","commit","json_version"}`
