// Command local-hook is `governance hook` alone, in a small program that starts fast: an
// agent starts it before each of its steps and waits. make builds it as governance-hook
// beside governance, where `governance hook install` finds it. For governance-fence it answers what
// is asked from behind a fence.
package main

import (
	"context"
	"os"

	"governance.internal/functions/toolserver/guard/broker"
	"governance.internal/functions/toolserver/guard/hook"
	"governance.internal/functions/toolserver/guard/outside"
	"governance.internal/functions/toolserver/inspect/snapshot"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == broker.Outside {
		os.Exit(outside.Once(snapshot.BeforeCommand, os.Args[2:], os.Stdin, os.Stdout))
	}
	os.Exit(hook.Main(context.Background(), snapshot.BeforeCommand, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
