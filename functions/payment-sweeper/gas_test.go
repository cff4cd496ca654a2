package sweeper

import (
	"bytes"
	"context"
	"errors"
	"math/big"
	"testing"
	"time"
)

// The line is what CloudWatch makes a metric of; the alarm of the deployment is on it.
func TestTheGasBalanceIsAMetric(t *testing.T) {
	var log bytes.Buffer
	wei, _ := new(big.Int).SetString("2000000999999999", 10)
	gas := &Gas{
		Coins: func(_ context.Context, address string) (*big.Int, error) {
			if address != "0xa" {
				t.Errorf("asked for %s", address)
			}
			return wei, nil
		},
		Wasted: func(_ context.Context, hour int64) (uint64, error) { return uint64(hour), nil },
		Wallet: "0xa", Out: &log, Now: func() time.Time { return time.UnixMilli(1_790_000_000_000) },
	}
	if err := gas.report(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := `{"GasBalanceGwei":2000000,"_aws":{"CloudWatchMetrics":[{"Dimensions":[[]],"Metrics":[{"Name":"GasBalanceGwei"}],"Namespace":"Governance"}],"Timestamp":1790000000000}}` + "\n" +
		`{"WastedGas":497222,"_aws":{"CloudWatchMetrics":[{"Dimensions":[[]],"Metrics":[{"Name":"WastedGas"}],"Namespace":"Governance"}],"Timestamp":1790000000000}}` + "\n"
	if log.String() != want {
		t.Errorf("%s", log.String())
	}
}

// An unknown value yields no metric, because a zero would raise an alarm.
func TestABalanceThatIsNotKnownIsNoMetric(t *testing.T) {
	var log bytes.Buffer
	gas := &Gas{
		Coins:  func(context.Context, string) (*big.Int, error) { return nil, errors.New("no node") },
		Wasted: func(context.Context, int64) (uint64, error) { return 0, errors.New("no table") },
		Out:    &log,
		Now:    time.Now,
	}
	if err := gas.report(t.Context()); err == nil || log.Len() > 0 {
		t.Errorf("%v %q", err, log.String())
	}
}
