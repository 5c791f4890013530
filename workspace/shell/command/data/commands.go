package data

import "github.com/seed-cf6d8d1b/swarm/workspace/shell/command"

// Commands gives the commands of this package.
func Commands() []*command.Command {
	all := []*command.Command{
		{Name: "date", Group: "data", Short: "show a time, the present or another", Usage: dateUsage, Run: runDate},
		{Name: "diff", Group: "data", Short: "compare files or directories line by line", Usage: diffUsage, Run: runDiff},
		{Name: "patch", Group: "data", Short: "apply the output of diff to files", Usage: patchUsage, Run: runPatch},
		{Name: "cmp", Group: "data", Short: "compare two files byte by byte", Usage: cmpUsage, Run: runCmp},
		{Name: "base64", Group: "data", Short: "encode or decode base 64", Usage: baseUsage("base64"), Run: runBase},
		{Name: "base32", Group: "data", Short: "encode or decode base 32", Usage: baseUsage("base32"), Run: runBase},
	}
	for _, s := range sums {
		all = append(all, &command.Command{Name: s.name, Group: "data", Short: "print or check " + s.tag + " checksums", Usage: sumUsage(s), Run: s.run})
	}
	return all
}
