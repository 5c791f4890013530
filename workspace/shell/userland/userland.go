// Package userland is the commands of the sandboxed shell, all of them.
package userland

import (
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command/data"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command/files"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command/text"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/eval"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/jq"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/js"
)

// Registry gives the commands.
func Registry() *command.Registry {
	return command.NewRegistry([]*command.Command{help()}, text.Commands(), files.Commands(), data.Commands(), jq.Commands(), js.Commands(), eval.Commands())
}
