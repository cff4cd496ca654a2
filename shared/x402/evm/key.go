package evm

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"governance.internal/shared/x402"
)

// Key is a secp256k1 private key. It implements x402.Signer and Wallet.
type Key struct {
	private *ecdsa.PrivateKey
	address common.Address
}

var _ x402.Signer = (*Key)(nil)

// ParseKey reads 64 hex digits, with or without 0x. Its errors never quote them.
func ParseKey(text string) (*Key, error) {
	private, err := crypto.HexToECDSA(strings.TrimPrefix(strings.TrimSpace(text), "0x"))
	if err != nil {
		return nil, errors.New("not a private key of 64 hex digits")
	}
	return &Key{private, crypto.PubkeyToAddress(private.PublicKey)}, nil
}

// LoadKey reads a key file.
func LoadKey(path string) (*Key, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	key, err := ParseKey(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}

// LoadOrCreateKey reads a key file or, if there is none, makes one that only its
// owner can read.
func LoadOrCreateKey(path string) (*Key, error) {
	key, err := LoadKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}

	private, err := crypto.GenerateKey()
	if err != nil {
		return nil, err
	}

	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}

	_, writeErr := fmt.Fprintf(file, "%x\n", crypto.FromECDSA(private))
	err = errors.Join(writeErr, file.Sync(), file.Close())
	if err != nil {
		return nil, err
	}

	return &Key{private, crypto.PubkeyToAddress(private.PublicKey)}, nil
}

// Address implements x402.Signer; the hex is checksummed (EIP-55).
func (k *Key) Address() string {
	return k.address.Hex()
}

// Sign implements x402.Signer.
func (k *Key) Sign(data x402.TypedData) (string, error) {
	hash, err := Digest(data)
	if err != nil {
		return "", err
	}
	return k.signHash(hash)
}

// signHash gives r, s and v as 27 or 28 in hex.
func (k *Key) signHash(hash common.Hash) (string, error) {
	signature, err := k.sign(context.Background(), hash)
	if err != nil {
		return "", err
	}
	signature[64] += 27
	return hexutil.Encode(signature), nil
}

// sign implements Wallet; go-ethereum's s is always low.
func (k *Key) sign(_ context.Context, hash common.Hash) ([]byte, error) {
	return crypto.Sign(hash[:], k.private)
}

var errSignature = errors.New("not a valid signature of 65 bytes with low s")

// recoverSigner accepts v as 0, 1, 27 or 28 and refuses high s, as the token does.
func recoverSigner(hash common.Hash, signature string) (common.Address, error) {
	if len(signature) != 2+2*crypto.SignatureLength {
		return common.Address{}, errSignature
	}
	raw, err := hexutil.Decode(signature)
	if err != nil {
		return common.Address{}, errSignature
	}
	if raw[64] >= 27 {
		raw[64] -= 27
	}
	return recoverKey(hash, raw)
}

// recoverKey recovers from 65 bytes with v as 0 or 1.
func recoverKey(hash common.Hash, raw []byte) (common.Address, error) {
	r := common.BytesToHash(raw[:32]).Big()
	s := common.BytesToHash(raw[32:64]).Big()
	if !crypto.ValidateSignatureValues(raw[64], r, s, true) {
		return common.Address{}, errSignature
	}
	public, err := crypto.Ecrecover(hash[:], raw)
	if err != nil {
		return common.Address{}, errSignature
	}
	return common.BytesToAddress(crypto.Keccak256(public[1:])[12:]), nil
}
