package shell

import (
	"strings"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// CheckCommand refuses a command that is blank or too long: "tool.invalid_arguments".
func CheckCommand(command string, l limits.Limits) error {
	most := l.OrDefault().Command
	switch {
	case strings.TrimSpace(command) == "":
		return fault.New("tool.invalid_arguments", "command is blank; give the script to run")
	case len(command) > most:
		return fault.New("tool.invalid_arguments", "command has %s bytes, the most is %s; write it into a script file first and run that file",
			grouped(int64(len(command))), grouped(int64(most)))
	}
	return nil
}
