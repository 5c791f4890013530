// Command swarm runs teams of agents from the command line.
package main

import (
	"os"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/cmd/swarm/cli"
)

func main() {
	swarm.ShellWorker()
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.LookupEnv))
}
