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

// Outcome reads what became of a broadcast transaction, of which at most one of
// some hashes is mined. Its status alone proves nothing: the money arrived when the asset's Transfer event says so. When the
// transaction failed, the authorization may still have been carried out by
// somebody else's; then that one counts.
//
// Errors: ErrNotMined, *payments.Rejected, or the failure of the nodes.
func (c *Chain) Outcome(ctx context.Context, p payments.Payment, hashes []string) (payments.Settlement, error) {
	for _, hash := range hashes {
		receipt, err := c.receipt(ctx, common.HexToHash(hash))
		if errors.Is(err, ethereum.NotFound) {
			continue
		}
		if err != nil {
			return payments.Settlement{}, err
		}
		if settlement, ok := c.arrived(p, receipt); ok {
			return settlement, nil
		}
		return c.Reconcile(ctx, p, hash)
	}
	return payments.Settlement{}, ErrNotMined
}

// Resume is Outcome for a transaction that may have been lost: once a block has
// reached validBefore the token refuses the authorization for good, so what is
// not on the chain by then will never be.
func (c *Chain) Resume(ctx context.Context, p payments.Payment, hashes []string) (payments.Settlement, error) {
	settlement, err := c.Outcome(ctx, p, hashes)
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
// as its window goes.
func (c *Chain) live(ctx context.Context, p payments.Payment) (bool, error) {
	var head *types.Header
	err := c.ask(ctx, func(ctx context.Context, node *ethclient.Client) (err error) {
		head, err = node.HeaderByNumber(ctx, nil)
		return err
	})
	return err == nil && head.Time < p.ValidBefore, err
}

func (c *Chain) receipt(ctx context.Context, hash common.Hash) (receipt *types.Receipt, err error) {
	err = c.ask(ctx, func(ctx context.Context, node *ethclient.Client) error {
		receipt, err = node.TransactionReceipt(ctx, hash)
		return err
	})
	return receipt, err
}

// arrived looks for the payment's two events, from the asset, in one receipt.
func (c *Chain) arrived(p payments.Payment, receipt *types.Receipt) (payments.Settlement, bool) {
	if receipt.Status != types.ReceiptStatusSuccessful {
		return payments.Settlement{}, false
	}
	used, payer, payTo := false, addressTopic(p.Payer), addressTopic(p.PayTo)
	for _, log := range receipt.Logs {
		if log.Address != c.Address || len(log.Topics) != 3 || log.Topics[1] != payer {
			continue
		}
		switch {
		case log.Topics[0] == topicUsed && log.Topics[2] == common.HexToHash(p.Nonce):
			used = true
		case log.Topics[0] == topicTransfer && used && log.Topics[2] == payTo && amountOf(log.Data).Cmp(big.NewInt(p.Amount)) == 0:
			return payments.Settlement{
				Transaction: receipt.TxHash.Hex(), Block: receipt.BlockNumber.Uint64(), BlockHash: receipt.BlockHash.Hex(), LogIndex: log.Index,
			}, true
		}
	}
	return payments.Settlement{}, false
}

// lookBack is how many blocks of events are searched: far longer than an
// authorization lives, and within what public nodes allow in one query.
const lookBack = 5000

// Reconcile finds the authorization's own events: anyone may carry out an
// authorization, and whoever did, the money arrived. hash is our transaction,
// "" when there is none.
func (c *Chain) Reconcile(ctx context.Context, p payments.Payment, hash string) (payments.Settlement, error) {
	logs, err := c.authorizationEvents(ctx, p)
	if err != nil {
		return payments.Settlement{}, err
	}
	for _, log := range logs {
		receipt, err := c.receipt(ctx, log.TxHash)
		if err != nil {
			return payments.Settlement{}, err
		}
		if settlement, ok := c.arrived(p, receipt); ok {
			return settlement, nil
		}
	}
	if len(logs) == 0 {
		// Nodes index events after they execute blocks: only an unused
		// authorization proves that no money moved.
		used, err := c.authorizationUsed(ctx, p)
		if err != nil {
			return payments.Settlement{}, err
		}
		if used {
			return payments.Settlement{}, errors.New("the authorization is used and its event is not found yet")
		}
		if err := c.mustBeOver(ctx, p, hash); err != nil {
			return payments.Settlement{}, err
		}
	}
	rejected := &payments.Rejected{Reason: x402.ReasonTransaction, Transaction: hash,
		Message: "The transfer was refused by the chain; no money moved."}
	if len(logs) > 0 {
		rejected.Reason, rejected.Message = x402.ReasonNonceUsed, "The authorization was canceled by the payer."
	}
	return payments.Settlement{}, rejected
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

func (c *Chain) authorizationEvents(ctx context.Context, p payments.Payment) (logs []types.Log, err error) {
	err = c.ask(ctx, func(ctx context.Context, node *ethclient.Client) error {
		head, err := node.BlockNumber(ctx)
		if err != nil {
			return err
		}
		from := new(big.Int)
		if head > lookBack {
			from.SetUint64(head - lookBack)
		}
		logs, err = node.FilterLogs(ctx, ethereum.FilterQuery{
			FromBlock: from, Addresses: []common.Address{c.Address},
			Topics: [][]common.Hash{{topicUsed, topicCanceled}, {addressTopic(p.Payer)}, {common.HexToHash(p.Nonce)}},
		})
		return err
	})
	return logs, err
}
