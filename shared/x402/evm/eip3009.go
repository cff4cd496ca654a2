package evm

import (
	"context"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"

	"governance.internal/shared/payments"
)

// eip3009 is the method of tokens that take authorizations themselves.
type eip3009 struct{ *Chain }

// call is transferWithAuthorization: with v, r, s for a key, as every token with
// EIP-3009 has it, else with bytes, as the production token has it.
func (m eip3009) call(p payments.Payment, signature []byte) (common.Address, []byte) {
	if len(signature) != crypto.SignatureLength || signature[64] != 27 && signature[64] != 28 {
		return m.Address, withBytes(selectorTransferBytes, authorizationWords(p), signature)
	}
	data := append(selectorTransfer[:4:4], authorizationWords(p)...)
	data = append(data, word(uint64(signature[64]))...)
	return m.Address, append(data, signature[:64]...)
}

func (m eip3009) used(ctx context.Context, p payments.Payment, block *big.Int) (bool, error) {
	out, err := m.readAt(
		ctx,
		block,
		m.Address,
		selectorState,
		common.HexToAddress(p.Payer),
		common.HexToHash(p.Nonce),
	)
	return err == nil && amountOf(out).Sign() > 0, err
}

// objection looks at the window by the chain's clock, which may differ from ours.
func (m eip3009) objection(ctx context.Context, p payments.Payment) error {
	var head *types.Header
	err := m.ask(ctx, func(ctx context.Context, node *ethclient.Client) (err error) {
		head, err = node.HeaderByNumber(ctx, nil)
		return err
	})
	if err != nil {
		return err
	}
	return m.Open(p, time.Unix(int64(head.Time), 0))
}

// arrived looks for the payment's two events, from the asset: the nonce and, right
// behind it, the money. A later transfer of one transaction is another payment's.
func (m eip3009) arrived(p payments.Payment, receipt *types.Receipt) (payments.Settlement, bool) {
	payer := addressTopic(p.Payer)
	for i, log := range receipt.Logs {
		used := log.Address == m.Address && len(log.Topics) == 3 &&
			log.Topics[0] == topicUsed &&
			log.Topics[1] == payer &&
			log.Topics[2] == common.HexToHash(p.Nonce)
		if used {
			return m.moneyIn(p, receipt, receipt.Logs[i+1:min(i+2, len(receipt.Logs))])
		}
	}
	return payments.Settlement{}, false
}

func (m eip3009) claimed(ctx context.Context, p payments.Payment, hash common.Hash) (*payments.Settlement, error) {
	receipt, err := m.receipt(ctx, hash)
	if err != nil {
		return nil, err
	}
	if settlement, ok := m.arrived(p, receipt); ok {
		return &settlement, nil
	}
	return nil, nil
}

// moneyIn looks for the asset's Transfer event of a payment in logs of a receipt.
func (c *Chain) moneyIn(p payments.Payment, receipt *types.Receipt, logs []*types.Log) (payments.Settlement, bool) {
	if receipt.Status != types.ReceiptStatusSuccessful {
		return payments.Settlement{}, false
	}
	for _, log := range logs {
		if c.isTransfer(p, log) {
			return payments.Settlement{
				Transaction: receipt.TxHash.Hex(),
				Block:       receipt.BlockNumber.Uint64(),
				BlockHash:   receipt.BlockHash.Hex(),
				LogIndex:    log.Index,
			}, true
		}
	}
	return payments.Settlement{}, false
}

// isTransfer reports whether an event moves exactly the money of a payment.
func (c *Chain) isTransfer(p payments.Payment, log *types.Log) bool {
	return log.Address == c.Address &&
		len(log.Topics) == 3 &&
		log.Topics[0] == topicTransfer &&
		log.Topics[1] == addressTopic(p.Payer) &&
		log.Topics[2] == addressTopic(p.PayTo) &&
		amountOf(log.Data).Cmp(big.NewInt(p.Amount)) == 0
}

// trace finds the authorization's own events among the newest ones. If they are not
// there and the nonce is used all the same, it was long ago: then the blocks of the
// authorization's whole life are searched.
func (m eip3009) trace(ctx context.Context, p payments.Payment) (fate, error) {
	query := ethereum.FilterQuery{
		Addresses: []common.Address{m.Address},
		Topics:    [][]common.Hash{{topicUsed, topicCanceled}, {addressTopic(p.Payer)}, {common.HexToHash(p.Nonce)}},
	}
	logs, head, err := m.recent(ctx, query)
	if err != nil {
		return fate{}, err
	}

	if len(logs) == 0 && head.Time > p.ValidBefore {
		if used, err := m.used(ctx, p, nil); err != nil || !used {
			return fate{}, err
		}
		born := p.ValidBefore - min(p.ValidBefore, authorizationLongest)
		if logs, err = m.during(ctx, query, born, p.ValidBefore); err != nil {
			return fate{}, err
		}
	}

	for _, log := range logs {
		receipt, err := m.receipt(ctx, log.TxHash)
		if err != nil {
			return fate{}, err
		}
		if settlement, ok := m.arrived(p, receipt); ok {
			return fate{settlement: &settlement}, nil
		}
	}

	return fate{spent: len(logs) > 0}, nil
}
