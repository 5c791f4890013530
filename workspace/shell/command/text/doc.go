// Package text holds the commands of the sandboxed shell that read and write text: cat,
// head, tail, tee, wc, sort, uniq, cut, tr, grep and its kin, paste, join, comm, column,
// fold, nl, tac, rev, shuf, numfmt, od, strings, seq, yes, echo, printf, expr, basename and
// dirname. They follow the GNU programs of Debian 12 in the locale C.UTF-8, also where those
// work on bytes instead of characters (cut -c, tr, fold). They stream where those do.
package text

import (
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

// Commands gives the commands of this package.
func Commands() []*command.Command {
	return []*command.Command{
		catCommand(), headCommand(), tailCommand(), teeCommand(), wcCommand(), sortCommand(), uniqCommand(), cutCommand(),
		trCommand(), grepCommand(), pasteCommand(), joinCommand(), commCommand(), columnCommand(), foldCommand(), nlCommand(),
		tacCommand(), revCommand(), shufCommand(), numfmtCommand(), odCommand(), stringsCommand(), seqCommand(), yesCommand(),
		echoCommand(), printfCommand(), exprCommand(), basenameCommand(), dirnameCommand(),
	}
}
