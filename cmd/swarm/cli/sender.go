package cli

import (
	"regexp"
	"strings"
)

// holder is how a store names a process: host, number, mark.
var holder = regexp.MustCompile(`^[^/]+/([0-9]+)/[0-9a-f]{8}$`)

// bySender says who has sent a command: another process by its number, else a word of the
// runtime or the path of an agent.
func bySender(by string) string {
	if m := holder.FindStringSubmatch(by); m != nil {
		return "from another process (pid " + m[1] + ")"
	}
	return strings.TrimSpace("by " + by)
}
