package evm

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"

	"governance.internal/shared/payments"
)

// WalletNonce is the wallet's next nonce, transactions in the pool counted.
func (c *Chain) WalletNonce(ctx context.Context, wallet *Key) (nonce uint64, err error) {
	err = c.ask(ctx, func(ctx context.Context, node *ethclient.Client) error {
		nonce, err = node.PendingNonceAt(ctx, wallet.address)
		return err
	})
	return nonce, err
}

// ErrReverts says that the transfer would revert now.
var ErrReverts = errors.New("the transfer would revert")

// Fees are what a transaction is signed with.
type Fees struct {
	gas      uint64
	tip, max *big.Int // wei
}

// Fees estimates the gas of a payment with a margin and the current fees
// (EIP-1559). ErrReverts when the EVM refuses the transfer.
func (c *Chain) Fees(ctx context.Context, wallet *Key, p payments.Payment) (fees Fees, err error) {
	transfer, err := c.transfer(ctx, p)
	if err != nil {
		return fees, err
	}
	transfer.From = wallet.address
	err = c.ask(ctx, func(ctx context.Context, node *ethclient.Client) error {
		gas, err := node.EstimateGas(ctx, transfer)
		if err != nil {
			return err
		}
		tip, base, err := prices(ctx, node)
		if err != nil {
			return err
		}
		fees = Fees{gas: gas + gas/3, tip: tip, max: new(big.Int).Add(tip, new(big.Int).Lsh(base, 1))}
		return nil
	})
	if reverted(err) {
		return fees, ErrReverts
	}
	return fees, err
}

// prices are the suggested tip and the base fee of the head, in wei.
func prices(ctx context.Context, node *ethclient.Client) (tip, base *big.Int, err error) {
	if tip, err = node.SuggestGasTipCap(ctx); err != nil {
		return nil, nil, err
	}
	head, err := node.HeaderByNumber(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	return tip, head.BaseFee, nil
}

// SignTransfer signs the transaction that moves the money; nothing is sent.
func (c *Chain) SignTransfer(ctx context.Context, wallet *Key, p payments.Payment, fees Fees, nonce uint64, instance string) (payments.Attempt, error) {
	transfer, err := c.transfer(ctx, p)
	if err != nil {
		return payments.Attempt{}, err
	}
	chainID := new(big.Int).SetUint64(c.ChainID)
	tx, err := types.SignNewTx(wallet.private, types.LatestSignerForChainID(chainID), &types.DynamicFeeTx{
		ChainID: chainID, Nonce: nonce, GasTipCap: fees.tip, GasFeeCap: fees.max, Gas: fees.gas, To: transfer.To, Data: transfer.Data,
	})
	if err != nil {
		return payments.Attempt{}, err
	}
	raw, err := tx.MarshalBinary()
	return payments.Attempt{
		Chain: instance, Wallet: payments.Wallet(wallet.Address()), WalletNonce: nonce, Raw: raw, Hash: tx.Hash().Hex(),
	}, err
}

// ErrNonceSpent says that the chain already mined a transaction with this nonce.
var ErrNonceSpent = errors.New("the wallet nonce is spent")

// Send broadcasts a signed transaction; one that the node knows is no error.
func (c *Chain) Send(ctx context.Context, a payments.Attempt) error {
	var tx types.Transaction
	if err := tx.UnmarshalBinary(a.Raw); err != nil {
		return fmt.Errorf("stored transaction: %w", err)
	}
	err := c.ask(ctx, func(ctx context.Context, node *ethclient.Client) error { return node.SendTransaction(ctx, &tx) })
	switch {
	case err == nil || isKnown(err):
		return nil
	case isSpent(err):
		return ErrNonceSpent
	}
	return err
}

// Spend uses up a nonce of the wallet that no stored transaction gets through: a
// transfer of nothing to itself, at twice the usual fee so that it also replaces
// a transaction that waits with too low a one.
func (c *Chain) Spend(ctx context.Context, wallet *Key, nonce uint64) error {
	err := c.ask(ctx, func(ctx context.Context, node *ethclient.Client) error {
		tip, base, err := prices(ctx, node)
		if err != nil {
			return err
		}
		tip = new(big.Int).Lsh(tip, 1)
		chainID := new(big.Int).SetUint64(c.ChainID)
		tx, err := types.SignNewTx(wallet.private, types.LatestSignerForChainID(chainID), &types.DynamicFeeTx{
			ChainID: chainID, Nonce: nonce, GasTipCap: tip, GasFeeCap: new(big.Int).Add(tip, new(big.Int).Lsh(base, 2)),
			Gas: 21_000, To: &wallet.address,
		})
		if err != nil {
			return err
		}
		return node.SendTransaction(ctx, tx)
	})
	if err != nil && (isKnown(err) || isSpent(err)) {
		return nil
	}
	return err
}
