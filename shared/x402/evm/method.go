package evm

import (
	"cmp"
	"context"
	"math/big"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"

	"governance.internal/shared/payments"
)

// method is an asset transfer method on a chain: which call carries an
// authorization out, and how the chain tells what became of it.
type method interface {
	// call moves the money when the signature is good.
	call(p payments.Payment, signature []byte) (to common.Address, data []byte)

	// used reports whether the nonce is spent or canceled as of a block; nil is the newest
	// one that a node has.
	used(ctx context.Context, p payments.Payment, block *big.Int) (bool, error)

	// objection is what the method alone knows against a payment: nil,
	// *payments.Invalid, or the failure of the nodes.
	objection(ctx context.Context, p payments.Payment) error

	// arrived finds the payment in the receipt of a transaction that made the call.
	arrived(p payments.Payment, receipt *types.Receipt) (payments.Settlement, bool)

	// claimed finds the payment in a transaction that an untrusted party names.
	claimed(ctx context.Context, p payments.Payment, hash common.Hash) (*payments.Settlement, error)

	// trace looks for what became of the nonce, no matter who spent it.
	trace(ctx context.Context, p payments.Payment) (fate, error)
}

// fate is what the chain shows of an authorization. The zero value is nothing.
type fate struct {
	settlement *payments.Settlement // it paid us
	spent      bool                 // it never will: canceled, or spent on something else
}

func (c *Chain) method(p payments.Payment) method {
	if p.Method == payments.MethodPermit2 {
		return permit2{c}
	}
	return eip3009{c}
}

// transfer is the call that moves the money of a payment, after the deployment
// of the payer's wallet where the signature asks for it and it is not there yet.
func (c *Chain) transfer(ctx context.Context, p payments.Payment) (ethereum.CallMsg, error) {
	s, err := parseSignature(p.Signature)
	if err != nil {
		return ethereum.CallMsg{}, unreadable(p, err)
	}

	to, data := c.method(p).call(p, normalized(c.AuthorizationDigest(p), p, s.inner))
	direct := ethereum.CallMsg{
		To:   &to,
		Data: data,
		Gas:  cmp.Or(c.GasCap, DefaultGasCap),
	}

	steps := c.deployed(s, step{to: to, data: data})
	if len(steps) == 1 {
		return direct, nil
	}

	// To deploy again would cost all gas, where the factory does not look first.
	code, err := c.codeAt(ctx, common.HexToAddress(p.Payer))
	if err != nil || len(code) > 0 {
		return direct, err
	}

	return aggregate(steps...), nil
}

func (c *Chain) codeAt(ctx context.Context, address common.Address) (code []byte, err error) {
	err = c.ask(ctx, func(ctx context.Context, node *ethclient.Client) error {
		code, err = node.CodeAt(ctx, address, nil)
		return err
	})
	return code, err
}
