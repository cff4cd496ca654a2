package devchain

import (
	"context"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/rpc"
)

// clientVersion is what a development chain answers to web3_clientVersion.
const clientVersion = "governance-devchain/1"

// Is reports whether a node is a development chain. A real one may listen on the same
// machine and serve the same chain id.
func Is(ctx context.Context, url string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()

	client, err := rpc.DialContext(ctx, url)
	if err != nil {
		return false, fmt.Errorf("RPC_URLS: %w", err)
	}
	defer client.Close()

	var version string
	if err := client.CallContext(ctx, &version, "web3_clientVersion"); err != nil {
		return false, fmt.Errorf("RPC_URLS: %w", err)
	}
	return version == clientVersion, nil
}
