package sweeper

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"time"
)

// Gas tells how much the wallet has left that pays the gas of settlements. An alarm
// is on the metric: without gas payments wait.
type Gas struct {
	Coins  func(ctx context.Context, address string) (*big.Int, error) // in wei
	Wallet string
	Out    io.Writer // the log of the function
	Now    func() time.Time
}

const gwei = 1_000_000_000 // wei

// report writes one line that CloudWatch reads as the metric Governance/GasBalanceGwei
// (CloudWatch embedded metric format).
func (g *Gas) report(ctx context.Context) error {
	wei, err := g.Coins(ctx, g.Wallet)
	if err != nil {
		return err
	}
	line, err := json.Marshal(map[string]any{
		"_aws": map[string]any{
			"Timestamp": g.Now().UnixMilli(),
			"CloudWatchMetrics": []any{map[string]any{
				"Namespace": "Governance", "Dimensions": [][]string{{}}, "Metrics": []any{map[string]string{"Name": "GasBalanceGwei"}},
			}},
		},
		"GasBalanceGwei": new(big.Int).Quo(wei, big.NewInt(gwei)),
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(g.Out, "%s\n", line)
	return err
}
