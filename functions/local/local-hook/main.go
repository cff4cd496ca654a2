// Command local-hook is `governance hook` alone, in a small program that starts fast: an
// agent starts it before each of its steps and waits. make builds it as governance-hook
// beside governance, where `governance hook install` finds it.
package main

import (
	"context"
	"os"

	"governance.internal/functions/toolserver/guard/hook"
	"governance.internal/functions/toolserver/inspect/snapshot"
)

func main() {
	os.Exit(hook.Main(context.Background(), snapshot.BeforeCommand, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
