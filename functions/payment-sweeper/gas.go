package sweeper

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"time"

	"governance.internal/shared/payments"
)

// Gas reports the balance of the gas wallet and the gas of failed settlements in this
// hour. Alarms watch both metrics: without gas payments wait, and an attacker could drain
// the wallet with settlements that fail.
type Gas struct {
	Coins  func(ctx context.Context, address string) (*big.Int, error) // in wei
	Wasted func(ctx context.Context, hour int64) (uint64, error)       // see payments.Hour
	Wallet string
	Out    io.Writer // the log of the function
	Now    func() time.Time
}

const gwei = 1_000_000_000 // wei

// report writes a line for each of Governance/GasBalanceGwei and Governance/WastedGas.
// It leaves out unknown values, because a zero would be a value.
func (g *Gas) report(ctx context.Context) error {
	wei, balanceUnknown := g.Coins(ctx, g.Wallet)
	if balanceUnknown == nil {
		balanceUnknown = g.metric("GasBalanceGwei", new(big.Int).Quo(wei, big.NewInt(gwei)))
	}
	burned, wasteUnknown := g.Wasted(ctx, payments.Hour(g.Now()))
	if wasteUnknown == nil {
		wasteUnknown = g.metric("WastedGas", burned)
	}
	return errors.Join(balanceUnknown, wasteUnknown)
}

// metric writes one line that CloudWatch reads as a metric (CloudWatch embedded metric
// format).
func (g *Gas) metric(name string, value any) error {
	line, err := json.Marshal(map[string]any{
		"_aws": map[string]any{
			"Timestamp": g.Now().UnixMilli(),
			"CloudWatchMetrics": []any{map[string]any{
				"Namespace":  "Governance",
				"Dimensions": [][]string{{}},
				"Metrics":    []any{map[string]string{"Name": name}},
			}},
		},
		name: value,
	})
	if err != nil {
		return err
	}

	_, err = fmt.Fprintf(g.Out, "%s\n", line)
	return err
}
