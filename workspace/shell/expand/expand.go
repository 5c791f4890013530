// Package expand owns the expansions of the shell: parameters, commands, arithmetic,
// splitting, patterns, paths, braces and quoting, over the syntax tree. It runs nothing
// itself: commands and variables belong to the shell that it asks.
package expand

import (
	"context"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/vars"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// Shell is what an expansion asks of the shell around it.
type Shell interface {
	// Get gives a variable, a positional or special parameter ("1", "#", "?", "@" and "*" as
	// an indexed array), or a dynamic one such as RANDOM. Name references are not followed.
	Get(name string) vars.Var
	// Put and Update set a variable that is not a name reference and was checked to be
	// writable; they let the shell react to names that it reads itself, such as OPTIND.
	Put(name string, v vars.Var)
	Update(name string, change func(*vars.Var))
	Names(prefix string) []string
	// Substitute gives the output of a command substitution, its last newlines removed.
	Substitute(ctx context.Context, c *syntax.CmdSubst) (string, error)
	// Process starts a process substitution and gives the path that stands for it.
	Process(ctx context.Context, p *syntax.ProcSubst) (string, error)
}

// Config is one shell's way to expand. It is cheap to copy; one goroutine uses it at a time.
type Config struct {
	Shell  Shell
	FS     view.FS
	Dir    string // absolute
	Budget *limits.Budget

	NoUnset    bool // set -u
	NoGlob     bool // set -f
	NullGlob   bool
	FailGlob   bool
	DotGlob    bool
	GlobStar   bool
	NoCaseGlob bool
	NoCase     bool // nocasematch
	NoBraces   bool // set +B
	ExtGlob    bool // extglob; patterns that the parser saw as such need no option, [[ turns it on

	// Warn writes a message, without "bash: line N: ", where bash goes on with an empty
	// value after it. nil drops it.
	Warn func(ctx context.Context, text string)

	depth int // of values that are evaluated as texts themselves
}

// Error is an expansion or assignment that failed. Its text is that of bash without the
// "bash: line N: " before it.
//
// Exit tells the two ends apart: the shell ends at once with Code (an unset variable under
// set -u, ${name:?text}); or the statement of the script that is being executed, as a whole,
// is given up with Code and the next one is executed (a division by zero, a bad
// substitution, an assignment to a read-only variable).
type Error struct {
	Text  string
	Code  int
	Exit  bool
	Exact bool // Code counts in every kind of shell
}

// Error implements error.
func (e *Error) Error() string { return e.Text }

// AssignOptions say how a declaration assigns. The zero value is a plain assignment.
type AssignOptions struct {
	// Kind is what the variable is made before it is assigned: Indexed or Assoc (declare -a,
	// -A), NameRef to assign the reference itself (declare -n). Zero: as it is.
	Kind vars.Kind
	// Declare, when set, is called with the name once the value is expanded and before the
	// variable is set: it may make a local one and give it attributes, which then count
	// (declare -i x=1+1). An error ends the assignment.
	Declare func(name string) error
}
