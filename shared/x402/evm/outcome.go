package evm

import (
	"cmp"
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

// Outcome reads what became of a broadcast transaction, of which at most one of some hashes
// is mined. Its status alone proves nothing: the money arrived when the asset's Transfer
// event says so. When the transaction failed, the authorization may still have been
// executed by another transaction; then that one counts.
//
// A transaction that moved nothing burned gas; each look reports it to note.
//
// Errors: ErrNotMined and those of Reconcile.
func (c *Chain) Outcome(
	ctx context.Context,
	p payments.Payment,
	hashes []string,
	note func(payments.Revert),
) (payments.Settlement, error) {
	for _, hash := range hashes {
		receipt, err := c.receipt(ctx, common.HexToHash(hash))
		if errors.Is(err, ethereum.NotFound) {
			continue
		}
		if err != nil {
			return payments.Settlement{}, err
		}
		if settlement, ok := c.method(p).arrived(p, receipt); ok {
			return settlement, nil
		}

		settlement, err := c.verdict(ctx, p, hash, true)
		note(payments.Revert{
			Transaction: hash,
			Gas:         receipt.GasUsed,
			Paid:        err == nil,
		})

		return settlement, err
	}

	return payments.Settlement{}, ErrNotMined
}

// Resume is Outcome for a transaction that may have been lost: once a block has
// reached validBefore the token refuses the authorization for good, so what is
// not on the chain by then will never be.
func (c *Chain) Resume(
	ctx context.Context,
	p payments.Payment,
	hashes []string,
	note func(payments.Revert),
) (payments.Settlement, error) {
	settlement, err := c.Outcome(ctx, p, hashes, note)
	if !errors.Is(err, ErrNotMined) {
		return settlement, err
	}
	if end, err := c.over(ctx, p); err != nil {
		return payments.Settlement{}, err
	} else if end == nil {
		return payments.Settlement{}, ErrNotMined
	}
	return c.verdict(ctx, p, "", true)
}

// reorgMargin is how much later than validBefore a block must be, in seconds, to
// prove that the authorization is over: the newest block may be dropped, and the
// one in its place be earlier.
const reorgMargin = 6

// over gives a block after which no other can accept the authorization, nil while
// there is none. Permit2 takes its deadline itself, too.
func (c *Chain) over(ctx context.Context, p payments.Payment) (block *big.Int, err error) {
	err = c.ask(ctx, func(ctx context.Context, node *ethclient.Client) error {
		head, err := node.HeaderByNumber(ctx, nil)
		if err == nil && head.Time > p.ValidBefore+reorgMargin {
			block = head.Number
		}
		return err
	})
	return block, err
}

func (c *Chain) receipt(ctx context.Context, hash common.Hash) (receipt *types.Receipt, err error) {
	err = c.ask(ctx, func(ctx context.Context, node *ethclient.Client) error {
		receipt, err = node.TransactionReceipt(ctx, hash)
		return err
	})
	return receipt, err
}

// DefaultLookBack is how many blocks of events are searched at once: far longer than an
// authorization lives, and within what public nodes allow in one query.
const DefaultLookBack = 5000

func (c *Chain) lookBack() uint64 {
	return cmp.Or(c.LookBack, DefaultLookBack)
}

// Reconcile finds what became of the authorization: anyone may carry it out, and
// in either case the money arrived. public says that others have it: a transaction of
// ours, mined or not, has shown it to everybody, or a facilitator was asked.
//
// Errors: *payments.Rejected, or any other if that is unknown.
func (c *Chain) Reconcile(ctx context.Context, p payments.Payment, public bool) (payments.Settlement, error) {
	return c.verdict(ctx, p, "", public)
}

// ErrStillValid says that our transaction was mined in vain, or that the
// authorization is canceled, and that only its end makes this final.
var ErrStillValid = errors.New("no money moved, and the authorization is still valid")

// verdict is Reconcile after our transaction with a hash was mined in vain, or ""
// without one.
func (c *Chain) verdict(ctx context.Context, p payments.Payment, hash string, public bool) (payments.Settlement, error) {
	m := c.method(p)
	found, err := m.trace(ctx, p)
	switch {
	case err != nil:
		return payments.Settlement{}, err
	case found.settlement != nil:
		return *found.settlement, nil
	}

	// The result that no money moved must be final. Any party can execute a public
	// authorization until its expiry, and a block that cancels it may be dropped.
	var end *big.Int
	if public {
		if end, err = c.over(ctx, p); err == nil && end == nil {
			err = ErrStillValid
		}
		if err != nil {
			return payments.Settlement{}, err
		}
	}

	if found.spent {
		return payments.Settlement{}, &payments.Rejected{
			Reason:      x402.ReasonNonceUsed,
			Transaction: hash,
			Message:     "The authorization was canceled by the payer or spent on something else.",
		}
	}

	// Nodes index events after they execute blocks, and one may be behind another:
	// only an authorization that is unused at that block proves that no money moved.
	used, err := m.used(ctx, p, end)
	if err != nil {
		return payments.Settlement{}, err
	}
	if used {
		return payments.Settlement{}, errors.New("the authorization is used and its event is not found yet")
	}

	return payments.Settlement{}, &payments.Rejected{
		Reason:      x402.ReasonTransaction,
		Transaction: hash,
		Message:     "The transfer was refused by the chain; no money moved.",
	}
}

// recent searches the events of the last blocks, up to head.
func (c *Chain) recent(ctx context.Context, query ethereum.FilterQuery) (logs []types.Log, head *types.Header, err error) {
	err = c.ask(ctx, func(ctx context.Context, node *ethclient.Client) error {
		if head, err = node.HeaderByNumber(ctx, nil); err != nil {
			return err
		}
		query.FromBlock = c.searchedFrom(head)
		logs, err = node.FilterLogs(ctx, query)
		return err
	})
	return logs, head, err
}

// searchedFrom is the first block of a search up to head.
func (c *Chain) searchedFrom(head *types.Header) *big.Int {
	from := new(big.Int).Sub(head.Number, new(big.Int).SetUint64(c.lookBack()))
	if from.Sign() < 0 {
		return new(big.Int)
	}
	return from
}

// during searches the events of the blocks between two times, in seconds, however long
// ago that is.
func (c *Chain) during(ctx context.Context, query ethereum.FilterQuery, from, to uint64) ([]types.Log, error) {
	first, err := c.firstSince(ctx, from)
	if err != nil {
		return nil, err
	}

	var all []types.Log
	for {
		last := first + c.lookBack() - 1
		over := false
		err := c.ask(ctx, func(ctx context.Context, node *ethclient.Client) error {
			head, err := node.HeaderByNumber(ctx, nil)
			if err != nil {
				return err
			}

			last = min(last, head.Number.Uint64())
			end, err := node.HeaderByNumber(ctx, new(big.Int).SetUint64(last))
			if err != nil {
				return err
			}

			over = end.Time > to || last == head.Number.Uint64()
			query.FromBlock = new(big.Int).SetUint64(first)
			query.ToBlock = end.Number
			logs, err := node.FilterLogs(ctx, query)
			all = append(all, logs...)
			return err
		})
		if err != nil || over {
			return all, err
		}

		first = last + 1
	}
}

// firstSince is the number of the first block that is not before a time, in seconds, or
// of the head.
func (c *Chain) firstSince(ctx context.Context, at uint64) (uint64, error) {
	head, err := c.Head(ctx)
	if err != nil {
		return 0, err
	}

	low := uint64(0)
	high := head
	for low < high {
		middle := low + (high-low)/2
		var block *types.Header
		err := c.ask(ctx, func(ctx context.Context, node *ethclient.Client) (err error) {
			block, err = node.HeaderByNumber(ctx, new(big.Int).SetUint64(middle))
			return err
		})
		if err != nil {
			return 0, err
		}

		if block.Time < at {
			low = middle + 1
		} else {
			high = middle
		}
	}

	return low, nil
}

// Claimed looks for the payment in a transaction that another party names; ok is false when
// it is not there.
func (c *Chain) Claimed(ctx context.Context, p payments.Payment, hash string) (settlement payments.Settlement, ok bool) {
	found, err := c.method(p).claimed(ctx, p, common.HexToHash(hash))
	if err != nil || found == nil {
		return payments.Settlement{}, false
	}
	return *found, true
}

// Observe is Reconcile for an authorization that another party executes. ErrNotMined as
// long as it is unused and a later block could still accept it.
func (c *Chain) Observe(ctx context.Context, p payments.Payment) (payments.Settlement, error) {
	settlement, err := c.Reconcile(ctx, p, true)
	if errors.Is(err, ErrStillValid) {
		err = ErrNotMined
	}
	return settlement, err
}
