package evm

import (
	"context"
	"errors"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
)

// ErrWaiting says that a transaction of the wallet is not mined yet.
var ErrWaiting = errors.New("an earlier transaction of this wallet is not mined yet")

// ErrMemoFailed says that the transaction was mined and reverted.
var ErrMemoFailed = errors.New("the transaction with the memo reverted")

const memoPoll = 500 * time.Millisecond

// Memo writes data to the chain: as the calldata of a transaction of nothing from the
// wallet to itself. It returns the transaction's hash once that is mined. One memo of
// a wallet at a time: while one waits, beyond the end of ctx too, the error is ErrWaiting.
func (c *Chain) Memo(ctx context.Context, wallet Wallet, data []byte) (string, error) {
	account := accountOf(wallet)
	var fees Fees
	var nonce uint64
	err := c.ask(ctx, func(ctx context.Context, node *ethclient.Client) error {
		pending, err := node.PendingNonceAt(ctx, account)
		if err != nil {
			return err
		}
		if nonce, err = node.NonceAt(ctx, account, nil); err != nil {
			return err
		}
		if pending > nonce {
			return nil
		}

		gas, err := node.EstimateGas(ctx, ethereum.CallMsg{
			From: account,
			To:   &account,
			Data: data,
		})
		if err != nil {
			return err
		}

		fees, err = c.prices(ctx, node, 1)
		fees.gas = gas
		return err
	})
	switch {
	case err != nil:
		return "", err
	case fees.gas == 0:
		return "", ErrWaiting
	}

	if err := c.affordable(ctx, wallet, fees); err != nil {
		return "", err
	}
	tx, err := c.sign(ctx, wallet, &types.DynamicFeeTx{
		Nonce:     nonce,
		GasTipCap: fees.tip,
		GasFeeCap: fees.max,
		Gas:       fees.gas,
		To:        &account,
		Data:      data,
	})
	if err != nil {
		return "", err
	}

	err = c.ask(ctx, func(ctx context.Context, node *ethclient.Client) error {
		return node.SendTransaction(ctx, tx)
	})
	if err != nil && !isKnown(err) {
		return "", err
	}

	return tx.Hash().Hex(), c.mined(ctx, tx.Hash())
}

// mined waits for a transaction until ctx ends.
func (c *Chain) mined(ctx context.Context, hash common.Hash) error {
	for {
		receipt, err := c.receipt(ctx, hash)
		switch {
		case err == nil && receipt.Status == types.ReceiptStatusSuccessful:
			return nil
		case err == nil:
			return ErrMemoFailed
		}

		select {
		case <-time.After(memoPoll):
		case <-ctx.Done():
			return ErrWaiting
		}
	}
}
