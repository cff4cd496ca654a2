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
func (k *Key) SignText(text string) (string, error) { return k.signHash(TextDigest(text)) }

var _ x402.Accounts = (*Chain)(nil)

// SignedText implements x402.Accounts for accounts with a key.
func (c *Chain) SignedText(_ context.Context, address, text, signature string) error {
	signer, err := recoverSigner(TextDigest(text), signature)
	if err != nil || signer != common.HexToAddress(address) {
		return &payments.Invalid{Reason: x402.ReasonSignature, Message: x402.HeaderSignIn + " is not signed by its address."}
	}
	return nil
}
