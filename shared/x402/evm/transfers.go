package evm

import (
	"context"
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
)

// Transfer is a Transfer event of the token (ERC-20). Addresses are checksummed.
type Transfer struct {
	From, To    string
	Amount      *big.Int // atomic units
	Transaction string
	Block       uint64
	LogIndex    uint // in its block
}

// Head is the number of the newest block.
func (c *Chain) Head(ctx context.Context) (number uint64, err error) {
	err = c.ask(ctx, func(ctx context.Context, node *ethclient.Client) error {
		number, err = node.BlockNumber(ctx)
		return err
	})
	return number, err
}

// Transfers lists what arrived at an address in a range of blocks, both ends
// included. Transfers of nothing are left out: anybody can cause them, in anybody's
// name.
func (c *Chain) Transfers(ctx context.Context, to string, first, last uint64) ([]Transfer, error) {
	var all []Transfer
	for ; first <= last; first += c.lookBack() {
		var logs []types.Log
		err := c.ask(ctx, func(ctx context.Context, node *ethclient.Client) (err error) {
			logs, err = node.FilterLogs(ctx, ethereum.FilterQuery{
				FromBlock: new(big.Int).SetUint64(first),
				ToBlock:   new(big.Int).SetUint64(min(last, first+c.lookBack()-1)),
				Addresses: []common.Address{c.Address},
				Topics:    [][]common.Hash{{topicTransfer}, nil, {addressTopic(to)}},
			})
			return err
		})
		if err != nil {
			return nil, err
		}

		for _, log := range logs {
			if t, ok := c.transferEvent(&log); ok {
				all = append(all, t)
			}
		}
	}

	return all, nil
}

// TransfersIn lists what one transaction brought to an address; nothing if it is
// not on the chain.
func (c *Chain) TransfersIn(ctx context.Context, hash, to string) ([]Transfer, error) {
	receipt, err := c.receipt(ctx, common.HexToHash(hash))
	if errors.Is(err, ethereum.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	var all []Transfer
	for _, log := range receipt.Logs {
		t, ok := c.transferEvent(log)
		if ok && addressTopic(t.To) == addressTopic(to) {
			all = append(all, t)
		}
	}
	return all, nil
}

func (c *Chain) transferEvent(log *types.Log) (Transfer, bool) {
	amount := amountOf(log.Data)
	if log.Address != c.Address ||
		len(log.Topics) != 3 ||
		log.Topics[0] != topicTransfer ||
		amount.Sign() == 0 {
		return Transfer{}, false
	}

	return Transfer{
		From:        common.BytesToAddress(log.Topics[1][:]).Hex(),
		To:          common.BytesToAddress(log.Topics[2][:]).Hex(),
		Amount:      amount,
		Transaction: log.TxHash.Hex(),
		Block:       log.BlockNumber,
		LogIndex:    log.Index,
	}, true
}
