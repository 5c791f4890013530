package files

import "github.com/seed-cf6d8d1b/swarm/workspace/shell/command"

// Commands gives the commands of this package.
func Commands() []*command.Command {
	return []*command.Command{
		lsCommand(), findCommand(), treeCommand(), duCommand(), statCommand(), fileCommand(), whichCommand(), readlinkCommand(), realpathCommand(),
		cpCommand(), mvCommand(), rmCommand(), lnCommand(), mkdirCommand(), rmdirCommand(), touchCommand(), truncateCommand(), mktempCommand(), chmodCommand(),
		tarCommand(), gzipCommand(),
		xargsCommand(), envCommand(), printenvCommand(), timeoutCommand(), sleepCommand(),
	}
}
