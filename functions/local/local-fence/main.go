// Command local-fence is `governance run` alone, in a small program that starts fast. make builds
// it as governance-fence beside governance, which hands `run` over to it.
package main

import (
	"context"
	"os"

	"governance.internal/functions/toolserver/work/fence"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == fence.InitCommand {
		os.Exit(fence.Init())
	}

	args := os.Args[1:]
	if len(args) > 0 && args[0] == "run" {
		args = args[1:]
	}
	os.Exit(fence.Main(context.Background(), "/proc/self/exe", args, os.Stdin, os.Stdout, os.Stderr))
}
