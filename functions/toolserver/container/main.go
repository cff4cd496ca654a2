// Command container is the entry of the tool server's task.
package main

import (
	"context"
	"log"
	"os"
	"os/signal"
	"syscall"

	_ "golang.org/x/crypto/x509roots/fallback" // the image holds this program and nothing else

	"governance.internal/functions/toolserver/agent"
	"governance.internal/functions/toolserver/guard/hook"
	"governance.internal/functions/toolserver/inspect/snapshot"
	"governance.internal/functions/toolserver/server"
	"governance.internal/functions/toolserver/work/fence"
	"governance.internal/shared/wiring"
)

func main() {
	if fence.IsFirstProcess(os.Args[1:]) {
		os.Exit(fence.Init())
	}

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()

	if len(os.Args) == 2 && os.Args[1] == server.AgentCommand {
		os.Exit(agent.Main(ctx, os.Stdin, os.Stdout))
	}
	if len(os.Args) > 1 && os.Args[1] == hook.Name {
		os.Exit(hook.Main(ctx, snapshot.BeforeCommand, os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}

	parts, err := wiring.ToolsFromEnvironment()
	if err != nil {
		log.Fatal(err)
	}
	if err := server.Run(ctx, parts, ":8402"); err != nil {
		log.Fatal(err)
	}
}
