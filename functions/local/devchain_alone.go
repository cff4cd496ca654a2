package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"governance.internal/functions/local/devchain"
)

func devchainCommand(t terminal) *cobra.Command {
	var o devchain.Options
	c := command("devchain", "Run the development chain alone",
		examples(
			"governance devchain", "a chain in memory on port 8545",
			"governance devchain --data .data/devchain", "a chain that survives a restart",
		),
		func(ctx context.Context, args []string) error {
			if err := noArguments("devchain", args); err != nil {
				return err
			}
			return devchainAlone(ctx, t, o)
		})
	c.Flags().StringVar(&o.RPCAddr, "addr", "127.0.0.1:8545", "loopback `address` for JSON-RPC")
	c.Flags().StringVar(&o.Dir, "data", "", "`directory` to keep the chain in; empty keeps it in memory")
	return c
}

// devchainAlone runs the development chain until ctx ends, so that services can start
// and stop while it runs.
func devchainAlone(ctx context.Context, t terminal, o devchain.Options) error {
	chain, err := devchain.Start(ctx, o)
	if err != nil {
		return err
	}

	fmt.Fprintf(t.out, "development chain on %s\nuse it with: RPC_URLS=%s %s serve\n",
		chain.URL(), chain.URL(), program())
	<-ctx.Done()
	return chain.Close()
}
