package evm

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
)

// signature is a payer's signature as a contract is to see it.
type signature struct {
	inner []byte // of a key, or what the payer's wallet takes (EIP-1271)

	wrapped bool           // by ERC-6492, for a wallet that may not be deployed yet
	factory common.Address // that deploys it
	deploy  []byte         // calldata of the factory
}

// wrapperMark ends a signature that ERC-6492 wrapped.
var wrapperMark = bytes.Repeat([]byte{0x64, 0x92}, 16)

var errWrapper = errors.New("the ERC-6492 wrapper of the signature is malformed: it must be the ABI encoding of (address factory, bytes calldata, bytes signature)")

// parseSignature reads a signature of any kind.
func parseSignature(text string) (signature, error) {
	if len(text) > 2+2*x402.MaxSignature {
		return signature{}, fmt.Errorf("the signature is longer than %d bytes", x402.MaxSignature)
	}
	raw, err := hexutil.Decode(text)
	if err != nil {
		return signature{}, errors.New("the signature is not hex")
	}
	return unwrap(raw)
}

// unwrap takes an ERC-6492 wrapper off: (factory, calldata, signature) and the mark.
func unwrap(raw []byte) (signature, error) {
	wrapper, wrapped := bytes.CutSuffix(raw, wrapperMark)
	if !wrapped {
		return signature{inner: raw}, nil
	}
	if len(wrapper) < 32 || !bytes.Equal(wrapper[:12], make([]byte, 12)) {
		return signature{}, errWrapper
	}

	deploy, ok := bytesAt(wrapper, 32)
	inner, ok2 := bytesAt(wrapper, 64)
	if !ok || !ok2 {
		return signature{}, errWrapper
	}

	return signature{
		inner:   inner,
		wrapped: true,
		factory: common.BytesToAddress(wrapper[12:32]),
		deploy:  deploy,
	}, nil
}

// normalized is a signature with v as contracts want it, 27 or 28, if it is the
// payer's key's with 0 or 1. Any other is the payer's wallet's to read.
func normalized(digest common.Hash, p payments.Payment, raw []byte) []byte {
	if len(raw) != crypto.SignatureLength || raw[64] > 1 {
		return raw
	}

	signer, err := recoverKey(digest, raw)
	if err != nil ||
		signer != common.HexToAddress(p.Payer) {
		return raw
	}
	return append(raw[:64:64], raw[64]+27)
}
