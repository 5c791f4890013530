package eval

import (
	"strconv"
	"strings"
)

// signal is a signal by its number on Linux, or one of the events that a trap knows besides.
type signal int

// The signals that the evaluator itself speaks of, and the events.
const (
	sigEXIT   signal = 0
	sigINT    signal = 2
	sigQUIT   signal = 3
	sigKILL   signal = 9
	sigPIPE   signal = 13
	sigTERM   signal = 15
	sigCHLD   signal = 17
	sigCONT   signal = 18
	sigSTOP   signal = 19
	sigDEBUG  signal = 65
	sigERR    signal = 66
	sigRETURN signal = 67
)

// signalNames are the names of the signals 1 to 31, without SIG.
var signalNames = [...]string{
	"", "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM",
	"STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
}

// String gives the name as trap -p prints it: SIGINT, EXIT, DEBUG.
func (s signal) String() string {
	switch s {
	case sigEXIT:
		return "EXIT"
	case sigDEBUG:
		return "DEBUG"
	case sigERR:
		return "ERR"
	case sigRETURN:
		return "RETURN"
	}
	return "SIG" + s.short()
}

// short gives the name without SIG, as kill -l prints it.
func (s signal) short() string {
	switch n := int(s); {
	case n > 0 && n < len(signalNames):
		return signalNames[n]
	case n == 34:
		return "RTMIN"
	case n > 34 && n < 50:
		return "RTMIN+" + strconv.Itoa(n-34)
	case n >= 50 && n < 64:
		return "RTMAX-" + strconv.Itoa(64-n)
	case n == 64:
		return "RTMAX"
	}
	return strconv.Itoa(int(s))
}

// describe gives what a shell says of a command that the signal ended.
func (s signal) describe() string {
	switch s.short() {
	case "HUP":
		return "Hangup"
	case "QUIT":
		return "Quit"
	case "ABRT":
		return "Aborted"
	case "KILL":
		return "Killed"
	case "SEGV":
		return "Segmentation fault"
	case "USR1":
		return "User defined signal 1"
	case "USR2":
		return "User defined signal 2"
	case "ALRM":
		return "Alarm clock"
	case "TERM":
		return "Terminated"
	}
	return s.String()
}

// harmless says whether a signal without a trap does nothing here: those that are ignored,
// and those that stop and continue, as there is no terminal to be stopped from.
func (s signal) harmless() bool {
	switch s.short() {
	case "CHLD", "CONT", "URG", "WINCH", "TSTP", "TTIN", "TTOU", "STOP":
		return true
	}
	return false
}

// signalOf reads a signal: a number, a name with or without SIG in any case, or, with
// events, EXIT, DEBUG, ERR and RETURN.
func signalOf(text string, events bool) (signal, bool) {
	if n, err := strconv.Atoi(text); err == nil {
		return signal(n), n >= 0 && n <= 64 && n != 32 && n != 33
	}
	name := strings.TrimPrefix(strings.ToUpper(text), "SIG")
	switch name {
	case "EXIT":
		return sigEXIT, true
	case "DEBUG":
		return sigDEBUG, events
	case "ERR":
		return sigERR, events
	case "RETURN":
		return sigRETURN, events
	case "":
		return 0, false
	}
	for n := signal(1); n <= 64; n++ {
		if n != 32 && n != 33 && n.short() == name {
			return n, true
		}
	}
	return 0, false
}
