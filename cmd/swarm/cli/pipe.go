package cli

import (
	"errors"
	"io/fs"
	"os"
	"os/signal"
	"syscall"
)

// catchBrokenPipes has writes to a pipe that nobody reads any more fail. Else the first one
// to standard output or standard error would end the process, and with it a run.
func catchBrokenPipes() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // nobody needs to hear of it
}

// unread says whether an error is that nobody reads standard output any more. It ends the
// printing, and is no failure of what was printed.
func (a *app) unread(err error) bool {
	out, ok := a.out.(*os.File)
	var p *fs.PathError
	return ok && errors.Is(err, syscall.EPIPE) && errors.As(err, &p) && p.Path == out.Name()
}
