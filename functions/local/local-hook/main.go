// Command local-hook is `local hook` alone, in a small program: an agent starts it for
// each of its steps and waits. `local hook install` takes it where it stands beside
// local.
//
//	go build -o . ./functions/local ./functions/local/local-hook
package main

import (
	"context"
	"os"

	"governance.internal/functions/toolserver/guard/hook"
)

func main() {
	os.Exit(hook.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
