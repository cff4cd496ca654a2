package evm

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"

	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
)

// gasMost bounds the gas of questions, and of a payment whose payer's wallet an allowed
// factory deploys in the same transaction.
const gasMost = 1_000_000

// DefaultGasCap bounds what the code of a payer's wallet may burn at our expense. A
// transfer from a key takes less than 100,000 gas; the rest is for a wallet that checks
// several owners or a passkey.
const DefaultGasCap = 300_000

// RunsCode reports whether the payer has code, which the token then runs with our gas to
// check the signature, or is to get some by its first payment. That a key signed says
// nothing: its account may delegate (EIP-7702).
func (c *Chain) RunsCode(ctx context.Context, p payments.Payment) (bool, error) {
	if s, err := parseSignature(p.Signature); err == nil && s.wrapped {
		return true, nil
	}
	code, err := c.codeAt(ctx, common.HexToAddress(p.Payer))
	return len(code) > 0, err
}

// message is a call of a contract without a particular caller.
func message(to common.Address, data []byte) ethereum.CallMsg {
	return ethereum.CallMsg{
		To:   &to,
		Data: data,
		Gas:  gasMost,
	}
}

// selectorValid and its answer, the same four bytes, are EIP-1271's.
var selectorValid = selector("isValidSignature(bytes32,bytes)")

// Authentic implements the part of payments.Facilitator of that name. No node is
// asked about the signature of a key. Any other is shown to the payer's wallet:
// EIP-1271, and ERC-6492 for a wallet that one of the allowed factories is yet
// to deploy. An account that delegates (EIP-7702) has code and still a key, which
// is why the key comes first.
func (c *Chain) Authentic(ctx context.Context, p payments.Payment) error {
	err := c.Token.Authentic(p)
	var invalid *payments.Invalid
	if !errors.As(err, &invalid) || invalid.Reason != signatureReason(p) {
		return err
	}
	return c.walletAgrees(ctx, p, invalid)
}

// walletAgrees asks the payer's wallet, which refused says is needed.
func (c *Chain) walletAgrees(ctx context.Context, p payments.Payment, refused *payments.Invalid) error {
	s, err := parseSignature(p.Signature)
	if err != nil {
		return unreadable(p, err)
	}

	agrees, there, err := c.askWallet(ctx, common.HexToAddress(p.Payer), c.AuthorizationDigest(p), s)
	switch {
	case err != nil || agrees:
		return err
	case !there && s.wrapped:
		return c.notDeployed(s)
	}
	return refused
}

// askWallet asks a wallet to verify a signature (EIP-1271). It returns whether it agrees,
// and whether there is a wallet. The call goes through Multicall3, whose answer
// distinguishes a failing wallet from a failing node.
func (c *Chain) askWallet(
	ctx context.Context,
	wallet common.Address,
	digest common.Hash,
	s signature,
) (agrees, there bool, err error) {
	question := step{wallet, withBytes(selectorValid, digest[:], s.inner), true}
	out, err := c.call(ctx, aggregate(c.deployed(s, question)...))
	if reverted(err) {
		return false, true, nil
	}

	success, answer, ok := lastResult(out)
	if err == nil && !ok {
		err = fmt.Errorf("no Multicall3 at %s", multicall3)
	}

	agrees = success &&
		len(answer) == 32 &&
		bytes.Equal(answer[:4], selectorValid)
	return agrees && err == nil, !success || len(answer) > 0, err
}

func unreadable(p payments.Payment, cause error) error {
	return &payments.Invalid{
		Reason:  signatureReason(p),
		Message: "Unreadable signature: " + cause.Error() + ".",
	}
}

// deployed puts the deployment of the payer before a step, where the payer asks for it and
// the factory may be called. It may fail if another deployment was faster.
func (c *Chain) deployed(s signature, then step) []step {
	if !s.wrapped || !c.factories[s.factory] {
		return []step{then}
	}
	return []step{{s.factory, s.deploy, true}, then}
}

func (c *Chain) notDeployed(s signature) error {
	if !c.factories[s.factory] {
		return &payments.Invalid{
			Reason: x402.ReasonFactory,
			Message: fmt.Sprintf(
				"The payer's wallet is not deployed and its factory %s is not one that this service calls. Deploy the wallet first, then pay again.", s.factory),
		}
	}

	return &payments.Invalid{
		Reason:  x402.ReasonDeployment,
		Message: "The factory call of the signature does not deploy the payer's wallet.",
	}
}
