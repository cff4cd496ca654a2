package evm

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
)

// TextDigest is the hash that personal_sign signs for a text (EIP-191, version 0x45).
func TextDigest(text string) common.Hash {
	return crypto.Keccak256Hash(fmt.Appendf(nil, "\x19Ethereum Signed Message:\n%d", len(text)), []byte(text))
}

// SignText signs a text as a wallet's personal_sign does.
func (k *Key) SignText(text string) (string, error) {
	return k.signHash(TextDigest(text))
}

var _ x402.Accounts = (*Chain)(nil)

// SignedText implements x402.Accounts: for an account with a key without a chain,
// for a contract wallet by asking it (EIP-1271).
func (c *Chain) SignedText(ctx context.Context, address, text, signature string) error {
	account := common.HexToAddress(address)
	digest := TextDigest(text)
	if signer, err := recoverSigner(digest, signature); err == nil && signer == account {
		return nil
	}

	refused := &payments.Invalid{
		Reason:  x402.ReasonSignature,
		Message: x402.HeaderSignIn + " is not signed by its address.",
	}
	s, err := parseSignature(signature)
	if err != nil {
		return refused
	}

	agrees, _, err := c.askWallet(ctx, account, digest, s)
	if err == nil && !agrees {
		return refused
	}

	return err
}
