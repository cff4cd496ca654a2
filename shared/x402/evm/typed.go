// Package evm is what x402 needs of Ethereum: EIP-712 digests, EIP-3009
// authorizations and their signatures, and a chain behind JSON-RPC. It is the
// only package of the service, besides the development chain, that imports
// go-ethereum.
package evm

import (
	"encoding/binary"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"governance.internal/shared/x402"
)

// typedDomain is the domain type of artifacts signed off the chain.
var typedDomain = crypto.Keccak256([]byte("EIP712Domain(string name,string version,uint256 chainId)"))

// Digest is the EIP-712 hash that is signed for data.
func Digest(data x402.TypedData) (common.Hash, error) {
	domain := crypto.Keccak256(
		typedDomain,
		crypto.Keccak256([]byte(data.Domain)),
		crypto.Keccak256([]byte("1")),
		word(1),
	)

	encoded := [][]byte{crypto.Keccak256([]byte(data.EncodeType()))}
	for _, field := range data.Fields {
		value, err := encodeField(field)
		if err != nil {
			return common.Hash{}, err
		}
		encoded = append(encoded, value)
	}

	return digest(domain, crypto.Keccak256(encoded...)), nil
}

// digest is the outer hash of EIP-712.
func digest(domain, message []byte) common.Hash {
	return crypto.Keccak256Hash([]byte{0x19, 0x01}, domain, message)
}

func encodeField(f x402.TypedField) ([]byte, error) {
	switch value := f.Value.(type) {
	case uint64:
		return word(value), nil
	case string:
		if f.Type == "string" {
			return crypto.Keccak256([]byte(value)), nil
		}
		raw, err := hexutil.Decode(value)
		if err != nil || len(raw) != 32 {
			return nil, fmt.Errorf("typed data: %s is not 32 bytes of hex", f.Name)
		}
		return raw, nil
	}
	return nil, fmt.Errorf("typed data: %s has the unsupported type %T", f.Name, f.Value)
}

// word is a 32-byte big endian number.
func word(n uint64) []byte {
	return append(make([]byte, 24), binary.BigEndian.AppendUint64(nil, n)...)
}

// RecoverTyped returns the address that signed data, as checksummed hex.
func RecoverTyped(data x402.TypedData, signature string) (string, error) {
	hash, err := Digest(data)
	if err != nil {
		return "", err
	}
	signer, err := recoverSigner(hash, signature)
	return signer.Hex(), err
}
