package evm

import (
	"context"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// DigestSigner signs with a secp256k1 key that it keeps, as a key management
// service does.
type DigestSigner interface {
	// PublicKey is a SubjectPublicKeyInfo, DER (RFC 5480).
	PublicKey(ctx context.Context) ([]byte, error)
	// SignDigest signs 32 bytes and gives an ECDSA-Sig-Value, DER (RFC 3279).
	SignDigest(ctx context.Context, digest [32]byte) ([]byte, error)
}

// RemoteKey is a wallet whose private key stays with a [DigestSigner].
type RemoteKey struct {
	signer  DigestSigner
	address common.Address
}

var _ Wallet = (*RemoteKey)(nil)

// NewRemoteKey asks the signer once, for its public key.
func NewRemoteKey(ctx context.Context, signer DigestSigner) (*RemoteKey, error) {
	der, err := signer.PublicKey(ctx)
	if err != nil {
		return nil, err
	}

	point, err := publicPoint(der)
	if err != nil {
		return nil, err
	}

	public, err := crypto.UnmarshalPubkey(point)
	if err != nil {
		return nil, errNoWalletKey
	}
	return &RemoteKey{signer, crypto.PubkeyToAddress(*public)}, nil
}

var (
	errNoWalletKey  = errors.New("the key is not an elliptic curve key on secp256k1 (KMS: ECC_SECG_P256K1)")
	oidPublicKey    = asn1.ObjectIdentifier{1, 2, 840, 10045, 2, 1}
	oidSecp256k1    = asn1.ObjectIdentifier{1, 3, 132, 0, 10}
	halfOfCurve     = new(big.Int).Rsh(crypto.S256().Params().N, 1)
	errBadSignature = errors.New("the key's keeper returned a signature that is not its key's")
)

// publicPoint takes the curve point out of a SubjectPublicKeyInfo. The standard
// library does not know the curve.
func publicPoint(der []byte) ([]byte, error) {
	var info struct {
		Algorithm struct{ Algorithm, Curve asn1.ObjectIdentifier }
		Key       asn1.BitString
	}
	rest, err := asn1.Unmarshal(der, &info)
	if err != nil ||
		len(rest) > 0 ||
		!info.Algorithm.Algorithm.Equal(oidPublicKey) ||
		!info.Algorithm.Curve.Equal(oidSecp256k1) {
		return nil, errNoWalletKey
	}
	return info.Key.RightAlign(), nil
}

// Address implements Wallet.
func (k *RemoteKey) Address() string {
	return k.address.Hex()
}

// sign implements Wallet. The keeper tells neither which of two points it used
// nor prefers the low s that Ethereum demands (EIP-2); both are found out here.
func (k *RemoteKey) sign(ctx context.Context, hash common.Hash) ([]byte, error) {
	der, err := k.signer.SignDigest(ctx, hash)
	if err != nil {
		return nil, err
	}

	signature, err := lowS(der)
	if err != nil {
		return nil, err
	}

	for signature[64] = range 2 {
		public, err := crypto.SigToPub(hash[:], signature)
		if err == nil && crypto.PubkeyToAddress(*public) == k.address {
			return signature, nil
		}
	}

	return nil, errBadSignature
}

// lowS turns an ECDSA-Sig-Value into r, s and an open v.
func lowS(der []byte) ([]byte, error) {
	var value struct{ R, S *big.Int }
	rest, err := asn1.Unmarshal(der, &value)
	order := crypto.S256().Params().N
	if err != nil ||
		len(rest) > 0 ||
		value.R.Sign() <= 0 ||
		value.S.Sign() <= 0 ||
		value.R.Cmp(order) >= 0 ||
		value.S.Cmp(order) >= 0 {
		return nil, fmt.Errorf("%w: malformed", errBadSignature)
	}

	if value.S.Cmp(halfOfCurve) > 0 {
		value.S.Sub(order, value.S)
	}

	signature := make([]byte, crypto.SignatureLength)
	value.R.FillBytes(signature[:32])
	value.S.FillBytes(signature[32:64])
	return signature, nil
}
