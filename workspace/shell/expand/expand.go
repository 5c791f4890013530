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

// Config is one shell's way to expand. It is cheap to copy.
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
}
