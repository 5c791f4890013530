package main

import (
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command/data"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command/files"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command/text"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/jq"
)

func reals() []*command.Command {
	var all []*command.Command
	seen := map[string]bool{}
	for _, l := range [][]*command.Command{files.Commands(), text.Commands(), data.Commands(), jq.Commands(), testCommands()} {
	next:
		for _, c := range l {
			for _, n := range append([]string{c.Name}, c.Aliases...) {
				if seen[n] {
					continue next
				}
			}
			for _, n := range append([]string{c.Name}, c.Aliases...) {
				seen[n] = true
			}
			all = append(all, c)
		}
	}
	return all
}
