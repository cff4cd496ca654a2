package evm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"

	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
)

// permit2 is the method of every token: the payer approved the Permit2 contract
// once, and each payment is a permit for x402's proxy with the receiver as the
// witness (scheme_exact_evm, section Permit2).
type permit2 struct{ *Chain }

var (
	permit2Address = common.HexToAddress(payments.Permit2)
	permit2Proxy   = common.HexToAddress(x402.Permit2Proxy)

	permit2Domain = crypto.Keccak256([]byte("EIP712Domain(string name,uint256 chainId,address verifyingContract)"))
	permit2Name   = crypto.Keccak256([]byte("Permit2"))
	permitType    = crypto.Keccak256([]byte("PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,Witness witness)" +
		"TokenPermissions(address token,uint256 amount)Witness(address to,uint256 validAfter)"))
	permissionsType = crypto.Keccak256([]byte("TokenPermissions(address token,uint256 amount)"))
	witnessType     = crypto.Keccak256([]byte("Witness(address to,uint256 validAfter)"))

	selectorSettle     = selector("settle(((address,uint256),uint256,uint256),address,(address,uint256),bytes)")
	selectorSettleWith = selector("settleWithPermit((uint256,uint256,bytes32,bytes32,uint8),((address,uint256),uint256,uint256),address,(address,uint256),bytes)")
	selectorBitmap     = selector("nonceBitmap(address,uint256)")
	selectorAllowance  = selector("allowance(address,address)")
)

// permitDigest is the EIP-712 hash of PermitWitnessTransferFrom (Permit2).
func (t Token) permitDigest(p payments.Payment) common.Hash {
	domain := crypto.Keccak256(permit2Domain, permit2Name, words(t.ChainID, permit2Address))
	permitted := crypto.Keccak256(permissionsType, words(t.Address, uint64(p.Amount)))
	witness := crypto.Keccak256(witnessType, words(common.HexToAddress(p.PayTo), p.ValidAfter))
	return digest(domain, crypto.Keccak256(permitType, permitted,
		words(permit2Proxy, common.HexToHash(p.Nonce), p.ValidBefore), witness))
}

// permitWords are the permit, its owner and the witness as passed to the proxy.
func (t Token) permitWords(p payments.Payment) []byte {
	return words(t.Address, uint64(p.Amount), common.HexToHash(p.Nonce), p.ValidBefore,
		common.HexToAddress(p.Payer), common.HexToAddress(p.PayTo), p.ValidAfter)
}

func (m permit2) call(p payments.Payment, signature []byte) (common.Address, []byte) {
	return permit2Proxy, withBytes(selectorSettle, m.permitWords(p), signature)
}

// used reads the bit of the nonce: the low byte is its place in the word that the
// rest numbers.
func (m permit2) used(ctx context.Context, p payments.Payment, block *big.Int) (bool, error) {
	nonce := common.HexToHash(p.Nonce).Big()
	number := common.BigToHash(new(big.Int).Rsh(nonce, 8))
	out, err := m.readAt(ctx, block, permit2Address, selectorBitmap, common.HexToAddress(p.Payer), number)
	return err == nil && amountOf(out).Bit(int(common.HexToHash(p.Nonce)[31])) == 1, err
}

// objection names a missing approval, which the payer has to make once.
func (m permit2) objection(ctx context.Context, p payments.Payment) error {
	out, err := m.read(ctx, m.Address, selectorAllowance, common.HexToAddress(p.Payer), permit2Address)
	if err != nil || amountOf(out).Cmp(big.NewInt(p.Amount)) >= 0 {
		return err
	}
	return &payments.Invalid{
		Reason: x402.ReasonAllowance,
		Message: fmt.Sprintf(
			"The payer has not approved Permit2 for this amount. Call approve(%s, %d) or more on the token %s, then pay again; or pay by EIP-3009, which needs no approval.",
			permit2Address, p.Amount, m.Address),
	}
}

// arrived looks for the money only: the transaction is known to make the call,
// and the call spends the nonce or reverts.
func (m permit2) arrived(p payments.Payment, receipt *types.Receipt) (payments.Settlement, bool) {
	return m.moneyIn(p, receipt, receipt.Logs)
}

func (m permit2) claimed(ctx context.Context, p payments.Payment, hash common.Hash) (*payments.Settlement, error) {
	settlement, _, err := m.explain(ctx, p, hash)
	return settlement, err
}

const (
	// permitLongest is how long before its deadline a permit is accepted at most.
	// It bounds the blocks in which the permit can have been carried out.
	permitLongest = 3600
	// indexing is how long after a block a node surely finds the block's events.
	indexing = 60
)

// trace finds the transaction that spent the nonce on this payment. No event of Permit2 has
// the nonce, so trace reads the calldata of each transfer to us. The nonce was spent
// elsewhere if no block of the permit's life has such a transfer.
func (m permit2) trace(ctx context.Context, p payments.Payment) (fate, error) {
	if used, err := m.used(ctx, p, nil); err != nil || !used {
		return fate{}, err
	}
	logs, head, err := m.recent(ctx, ethereum.FilterQuery{
		Addresses: []common.Address{m.Address},
		Topics:    [][]common.Hash{{topicTransfer}, {addressTopic(p.Payer)}, {addressTopic(p.PayTo)}},
	})
	if err != nil {
		return fate{}, err
	}

	for _, log := range logs {
		if !m.isTransfer(p, &log) {
			continue
		}
		settlement, explained, err := m.explain(ctx, p, log.TxHash)
		if err != nil || !explained || settlement != nil {
			return fate{settlement: settlement}, err
		}
	}

	spent, err := m.outlived(ctx, p, head)
	return fate{spent: spent}, err
}

// explain reads whether a transfer belongs to this permit. It is explained when
// its transaction called the proxy or the asset directly; others, such as those
// of bundlers, may have carried any permit.
func (m permit2) explain(
	ctx context.Context,
	p payments.Payment,
	hash common.Hash,
) (found *payments.Settlement, explained bool, err error) {
	var tx *types.Transaction
	err = m.ask(ctx, func(ctx context.Context, node *ethclient.Client) error {
		tx, _, err = node.TransactionByHash(ctx, hash)
		return err
	})
	if err != nil || tx.To() == nil || *tx.To() != permit2Proxy {
		return nil, err == nil &&
			tx.To() != nil &&
			*tx.To() == m.Address, err
	}

	if !m.settles(tx.Data(), p) {
		return nil, true, nil
	}
	receipt, err := m.receipt(ctx, hash)
	if err != nil {
		return nil, false, err
	}

	settlement, ok := m.arrived(p, receipt)
	if !ok {
		return nil, false, errors.New("the receipt of a transfer does not show it")
	}

	return &settlement, true, nil
}

// settles reports whether calldata of the proxy carries out this very permit.
func (m permit2) settles(data []byte, p payments.Payment) bool {
	const permitOfOther = 5 * 32 // settleWithPermit has an EIP-2612 permit in front
	if call, ok := bytes.CutPrefix(data, selectorSettleWith); ok && len(call) > permitOfOther {
		return bytes.HasPrefix(call[permitOfOther:], m.permitWords(p))
	}
	call, ok := bytes.CutPrefix(data, selectorSettle)
	return ok && bytes.HasPrefix(call, m.permitWords(p))
}

// outlived says that the permit's whole life lies in the blocks that were
// searched, up to head.
func (m permit2) outlived(ctx context.Context, p payments.Payment, head *types.Header) (bool, error) {
	if head.Time <= p.ValidBefore+indexing {
		return false, nil
	}
	var first *types.Header
	err := m.ask(ctx, func(ctx context.Context, node *ethclient.Client) (err error) {
		first, err = node.HeaderByNumber(ctx, m.searchedFrom(head))
		return err
	})

	return err == nil &&
		(first.Number.Sign() == 0 || first.Time+permitLongest <= p.ValidBefore), err
}

// permitOffered makes sure, once, that the network has the proxy: a call of an
// address without code would look like a success.
func (c *Chain) permitOffered(ctx context.Context) error {
	if c.proxyFound.Load() {
		return nil
	}
	code, err := c.codeAt(ctx, permit2Proxy)
	if err == nil && len(code) == 0 {
		return &payments.Invalid{
			Reason:  x402.ReasonProxy,
			Message: "This network has no x402 proxy for Permit2. Pay by EIP-3009.",
		}
	}

	c.proxyFound.Store(err == nil)
	return err
}
