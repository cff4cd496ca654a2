// Command local-fence is `governance run` and `governance write` alone, in a small program that
// starts fast. make builds it as governance-fence beside governance, which hands `run` over to it.
package main

import (
	"context"
	"os"

	"governance.internal/functions/toolserver/guard/broker"
	"governance.internal/functions/toolserver/work/fence"
	"governance.internal/shared/programs"
)

func main() {
	if fence.IsFirstProcess(os.Args[1:]) {
		os.Exit(fence.Init())
	}

	if len(os.Args) > 1 && os.Args[1] == broker.Write {
		os.Exit(broker.Ask(asks, broker.Write, os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}

	args := os.Args[1:]
	if len(args) > 0 && args[0] == "run" {
		args = args[1:]
	}
	os.Exit(fence.Main(context.Background(), "/proc/self/exe", asks, args, os.Stdin, os.Stdout, os.Stderr))
}

// asks answers what is asked from behind a fence by the program of the hook.
func asks(folder string) broker.Handler {
	own, err := os.Executable()
	if err != nil {
		own = os.Args[0]
	}
	hook, _ := programs.Beside(own, programs.Hook) // a missing one is told when it is asked
	return broker.Through([]string{hook}, folder)
}
