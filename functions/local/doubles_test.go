package main

import (
	"context"
	"errors"
	"testing"

	"governance.internal/shared/payments"
	"governance.internal/shared/x402/evm"
	"governance.internal/shared/x402/facilitator"
)

func parseKey(text string) (*evm.Key, error) { return evm.ParseKey(text) }

// unreachable is a facilitator whose only node does not listen.
func unreachable(t *testing.T, r *running) payments.Facilitator {
	t.Helper()
	c := r.service.config
	token, err := evm.NewToken(c.Network, c.Asset, c.AssetName, c.AssetVersion)
	if err != nil {
		t.Fatal(err)
	}
	chain, err := evm.Dial(token, []string{"http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	wallet, err := evm.LoadKey(c.GasKeyFile)
	if err != nil {
		t.Fatal(err)
	}
	return facilitator.NewOnchain(chain, wallet)
}

// brokenSettlement fails after the work is done and before anything is sent.
type brokenSettlement struct{ payments.Facilitator }

func (brokenSettlement) Settle(context.Context, payments.Payment, payments.Journal) (payments.Settlement, error) {
	return payments.Settlement{}, errors.New("the node does not answer")
}
