package evm

import (
	"context"
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"

	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
)

// ErrNotMined says that the chain has no receipt for the transaction yet.
var ErrNotMined = errors.New("not mined yet")

// Outcome reads what became of a broadcast transaction. Its status alone proves
// nothing: the money arrived when the asset's Transfer event says so. When the
// transaction failed, the authorization may still have been carried out by
// somebody else's; then that one counts.
//
// Errors: ErrNotMined and those of Reconcile.
func (c *Chain) Outcome(ctx context.Context, p payments.Payment, hash string) (payments.Settlement, error) {
	receipt, err := c.receipt(ctx, common.HexToHash(hash))
	if errors.Is(err, ethereum.NotFound) {
		return payments.Settlement{}, ErrNotMined
	}
	if err != nil {
		return payments.Settlement{}, err
	}
	if settlement, ok := c.method(p).arrived(p, receipt); ok {
		return settlement, nil
	}
	return c.Reconcile(ctx, p, hash)
}

// Resume is Outcome for a transaction that may have been lost: once a block has
// reached validBefore the token refuses the authorization for good, so what is
// not on the chain by then will never be.
func (c *Chain) Resume(ctx context.Context, p payments.Payment, hash string) (payments.Settlement, error) {
	settlement, err := c.Outcome(ctx, p, hash)
	if !errors.Is(err, ErrNotMined) {
		return settlement, err
	}
	live, err := c.live(ctx, p)
	if err != nil {
		return payments.Settlement{}, err
	}
	if live {
		return payments.Settlement{}, ErrNotMined
	}
	return c.Reconcile(ctx, p, "")
}

// live says whether a later block could still accept the authorization, as far
// as its window goes. Permit2 takes its deadline itself, too.
func (c *Chain) live(ctx context.Context, p payments.Payment) (bool, error) {
	var head *types.Header
	err := c.ask(ctx, func(ctx context.Context, node *ethclient.Client) (err error) {
		head, err = node.HeaderByNumber(ctx, nil)
		return err
	})
	return err == nil && head.Time <= p.ValidBefore, err
}

func (c *Chain) receipt(ctx context.Context, hash common.Hash) (receipt *types.Receipt, err error) {
	err = c.ask(ctx, func(ctx context.Context, node *ethclient.Client) error {
		receipt, err = node.TransactionReceipt(ctx, hash)
		return err
	})
	return receipt, err
}

// lookBack is how many blocks of events are searched: far longer than an
// authorization lives, and within what public nodes allow in one query.
const lookBack = 5000

// Reconcile finds what became of the authorization: anyone may carry it out, and
// whoever did, the money arrived. hash is our transaction, "" when there is none.
//
// Errors: *payments.Rejected, or any other when that is not known.
func (c *Chain) Reconcile(ctx context.Context, p payments.Payment, hash string) (payments.Settlement, error) {
	m := c.method(p)
	found, err := m.trace(ctx, p)
	switch {
	case err != nil:
		return payments.Settlement{}, err
	case found.settlement != nil:
		return *found.settlement, nil
	case found.spent:
		return payments.Settlement{}, &payments.Rejected{Reason: x402.ReasonNonceUsed, Transaction: hash,
			Message: "The authorization was canceled by the payer or spent on something else."}
	}
	// Nodes index events after they execute blocks: only an unused authorization
	// proves that no money moved.
	used, err := m.used(ctx, p)
	if err != nil {
		return payments.Settlement{}, err
	}
	if used {
		return payments.Settlement{}, errors.New("the authorization is used and its event is not found yet")
	}
	if err := c.mustBeOver(ctx, p, hash); err != nil {
		return payments.Settlement{}, err
	}
	return payments.Settlement{}, &payments.Rejected{Reason: x402.ReasonTransaction, Transaction: hash,
		Message: "The transfer was refused by the chain; no money moved."}
}

// mustBeOver refuses to call a payment failed while its authorization, public
// since our transaction carried it, can still be carried out by anybody.
func (c *Chain) mustBeOver(ctx context.Context, p payments.Payment, hash string) error {
	if hash == "" {
		return nil
	}
	live, err := c.live(ctx, p)
	if err == nil && live {
		err = errors.New("the transaction failed and the authorization is still valid")
	}
	return err
}

// recent searches the events of the last blocks, up to head.
func (c *Chain) recent(ctx context.Context, query ethereum.FilterQuery) (logs []types.Log, head *types.Header, err error) {
	err = c.ask(ctx, func(ctx context.Context, node *ethclient.Client) error {
		if head, err = node.HeaderByNumber(ctx, nil); err != nil {
			return err
		}
		query.FromBlock = searchedFrom(head)
		logs, err = node.FilterLogs(ctx, query)
		return err
	})
	return logs, head, err
}

// searchedFrom is the first block of a search up to head.
func searchedFrom(head *types.Header) *big.Int {
	from := new(big.Int).Sub(head.Number, big.NewInt(lookBack))
	if from.Sign() < 0 {
		return new(big.Int)
	}
	return from
}
