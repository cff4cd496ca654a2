// Command container is the entry of the tool server's task.
package main

import (
	"context"
	"log"
	"os/signal"
	"syscall"

	_ "golang.org/x/crypto/x509roots/fallback" // the image holds this program and nothing else

	"governance.internal/functions/toolserver"
	"governance.internal/shared/wiring"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	parts, err := wiring.ToolsFromEnvironment()
	if err != nil {
		log.Fatal(err)
	}
	if err := toolserver.Run(ctx, parts, ":8402"); err != nil {
		log.Fatal(err)
	}
}
