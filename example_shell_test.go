package swarm_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/seed-cf6d8d1b/swarm"
)

// The shell by itself: a script on a directory of the host, which it may look at and not
// change.
func ExampleNewShell() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "data")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(dir+"/names", []byte("Carl\nAda\nBlaise\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	shell, err := swarm.NewShell(swarm.ShellOptions{}) // main calls swarm.ShellWorker first
	if err != nil {
		log.Fatal(err)
	}
	defer shell.Close(ctx)
	out := shell.Run(ctx, &swarm.ShellJob{Command: "sort names | nl; cat /etc/passwd", Host: dir, ReadOnly: true})
	fmt.Println(out.Kind, out.Code)
	fmt.Printf("%s%s", out.Stdout.Head, out.Stderr.Head)
	// Output:
	// exited 1
	//      1	Ada
	//      2	Blaise
	//      3	Carl
	// cat: /etc/passwd: No such file or directory
}
