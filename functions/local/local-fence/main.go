// Command local-fence is `governance run` and `governance write` alone, in a small program that
// starts fast. make builds
// it as governance-fence beside governance, which hands `run` over to it.
package main

import (
	"context"
	"os"

	"governance.internal/functions/toolserver/guard/broker"
	"governance.internal/functions/toolserver/guard/outside"
	"governance.internal/functions/toolserver/inspect/snapshot"
	"governance.internal/functions/toolserver/work/fence"
)

func main() {
	if fence.IsFirstProcess(os.Args[1:]) {
		os.Exit(fence.Init())
	}

	if len(os.Args) > 1 && os.Args[1] == broker.Write {
		os.Exit(outside.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}

	args := os.Args[1:]
	if len(args) > 0 && args[0] == "run" {
		args = args[1:]
	}
	os.Exit(fence.Main(context.Background(), "/proc/self/exe", snapshot.BeforeCommand, args, os.Stdin, os.Stdout, os.Stderr))
}
