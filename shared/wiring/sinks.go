package wiring

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"governance.internal/shared/audit/auditor"
	"governance.internal/shared/config"
	"governance.internal/shared/objects/dir"
	"governance.internal/shared/telemetry"
	"governance.internal/shared/x402/evm"
)

// witnessLimit is the time for one request to a witness.
const witnessLimit = 10 * time.Second

// openSinks opens the places for checkpoints: the bucket of the segments, a
// directory, witnesses, the chain of the payments.
func openSinks(c config.Config) ([]auditor.Sink, error) {
	var sinks []auditor.Sink
	if c.SegmentBucket != "" {
		objects, err := openSegments(c)
		if err != nil {
			return nil, err
		}
		sinks = append(sinks, auditor.Archive{
			Label:   "bucket",
			Objects: objects,
			Chain:   ChainName,
		})
	}

	if c.CheckpointDir != "" {
		objects, err := dir.Open(c.CheckpointDir)
		if err != nil {
			return nil, err
		}
		sinks = append(sinks, auditor.Archive{
			Label:   "directory",
			Objects: objects,
			Chain:   ChainName,
		})
	}

	for _, text := range c.CheckpointWitnesses {
		address, vkey, _ := strings.Cut(text, " ")
		witness, err := auditor.NewWitness(
			address,
			strings.TrimSpace(vkey),
			&http.Client{
				Transport: telemetry.Transport(nil),
				Timeout:   witnessLimit,
			},
		)
		if err != nil {
			return nil, fmt.Errorf("configuration: CHECKPOINT_WITNESSES: %w", err)
		}
		sinks = append(sinks, witness)
	}

	if c.CheckpointMemoKeyFile != "" {
		memo, err := openMemo(c)
		if err != nil {
			return nil, err
		}
		sinks = append(sinks, memo)
	}

	return sinks, nil
}

// memo is a sink on the chain of the payments: the signed checkpoint is the calldata of a
// transaction, which a reader finds by its hash and opens with the verifier key.
type memo struct {
	chain  *evm.Chain
	wallet evm.Wallet
}

const (
	memoEvery = 24 * time.Hour
	memoLimit = 20 * time.Second // to be mined
)

func openMemo(c config.Config) (memo, error) {
	chain, err := openChain(c)
	if err != nil {
		return memo{}, err
	}
	wallet, err := evm.LoadKey(c.CheckpointMemoKeyFile)
	return memo{chain, wallet}, err
}

func (m memo) Name() string { return "memo" }

func (m memo) Every() time.Duration { return memoEvery }

func (m memo) Put(ctx context.Context, p auditor.Publication) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, memoLimit)
	defer cancel()
	return m.chain.Memo(ctx, m.wallet, p.Signed)
}
