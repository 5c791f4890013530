package files

import (
	"context"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

const whichUsage = `
Usage: which [-a] NAME...
Print where on PATH commands are found.

  -a                     every place, not the first one only
`

func whichCommand() *command.Command {
	return &command.Command{Name: "which", Group: "system", Short: "print where commands are found", Usage: whichUsage, Run: runWhich}
}

func runWhich(ctx context.Context, c *command.Call) int {
	r, ok := start(ctx, c, "+a s", 2)
	if !ok {
		c.Out.WriteString("Usage: /usr/bin/which [-a] args\n")
		return r.code
	}
	if len(r.opt.Args) == 0 {
		return 1
	}
	for _, name := range r.opt.Args {
		found := r.which(name)
		if len(found) == 0 {
			r.code = 1
			continue
		}
		if !r.opt.Has("a") {
			found = found[:1]
		}
		if !r.opt.Has("s") {
			r.Out.WriteString(strings.Join(found, "\n") + "\n")
		}
	}
	return r.code
}

// which gives every executable of a name on PATH.
func (r *run) which(name string) []string {
	candidates := []string{name}
	if name == "" {
		return nil
	}
	if !strings.Contains(name, "/") {
		candidates = nil
		for dir := range strings.SplitSeq(r.Getenv("PATH"), ":") {
			if dir == "" {
				dir = "."
			}
			candidates = append(candidates, join(dir, name))
		}
	}
	var found []string
	for _, p := range candidates {
		if info, err := r.stat(p); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			found = append(found, p)
		}
	}
	return found
}
