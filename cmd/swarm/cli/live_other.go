//go:build !(linux || darwin || freebsd || netbsd || openbsd)

package cli

import "os"

// continued is no signal here.
var continued os.Signal

func foreground(*os.File) bool { return true }
