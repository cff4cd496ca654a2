package main

import (
	"context"
	"fmt"

	"governance.internal/functions/local/devchain"
)

// devchainAlone runs the development chain until ctx ends, so that services can
// come and go while it stays.
func devchainAlone(ctx context.Context, t terminal, args []string) error {
	set := flags(t, "devchain", "devchain [-addr HOST:PORT] [-data DIR]")
	addr := set.String("addr", "127.0.0.1:8545", "loopback `address` for JSON-RPC")
	dir := set.String("data", "", "`directory` to keep the chain in; empty keeps it in memory")
	rest, err := parse(set, args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return usage("devchain takes no argument %q", rest[0])
	}

	chain, err := devchain.Start(ctx, devchain.Options{Dir: *dir, RPCAddr: *addr})
	if err != nil {
		return err
	}

	fmt.Fprintf(t.out, "development chain on %s\nuse it with: RPC_URLS=%s %s serve\n",
		chain.URL(), chain.URL(), program())
	<-ctx.Done()
	return chain.Close()
}
