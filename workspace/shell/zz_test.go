//go:build linux

package shell_test

import (
	"fmt"
	"os"
	"time"
)

func timed(script string) func() {
	t := time.Now()
	fmt.Fprintf(os.Stderr, "start %.80s\n", script)
	return func() { fmt.Fprintf(os.Stderr, "%8.2fs %.90s\n", time.Since(t).Seconds(), script) }
}
