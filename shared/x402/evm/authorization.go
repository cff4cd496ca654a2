package evm

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
)

// Token is the EIP-712 domain of a token with EIP-3009.
type Token struct {
	Name, Version string
	ChainID       uint64
	Address       common.Address
}

// NewToken makes a token from a CAIP-2 network such as "eip155:8453".
func NewToken(network, asset, name, version string) (Token, error) {
	reference, ok := strings.CutPrefix(network, "eip155:")
	chainID, err := strconv.ParseUint(reference, 10, 63)
	if !ok || err != nil {
		return Token{}, fmt.Errorf("network %q is not eip155 with a chain id", network)
	}
	if !common.IsHexAddress(asset) {
		return Token{}, fmt.Errorf("asset %q is not an address", asset)
	}
	return Token{Name: name, Version: version, ChainID: chainID, Address: common.HexToAddress(asset)}, nil
}

var (
	tokenDomain  = crypto.Keccak256([]byte("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"))
	transferType = crypto.Keccak256([]byte("TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"))
)

// Separator is the token's EIP-712 domain separator.
func (t Token) Separator() common.Hash {
	return crypto.Keccak256Hash(tokenDomain, crypto.Keccak256([]byte(t.Name)), crypto.Keccak256([]byte(t.Version)),
		word(t.ChainID), common.LeftPadBytes(t.Address[:], 32))
}

// AuthorizationDigest is the EIP-712 hash of TransferWithAuthorization (EIP-3009).
func (t Token) AuthorizationDigest(p payments.Payment) common.Hash {
	separator := t.Separator()
	return digest(separator[:], crypto.Keccak256(append(transferType[:len(transferType):len(transferType)], authorizationWords(p)...)))
}

// authorizationWords are the six members as 32-byte words, as hashed and as
// passed to the token.
func authorizationWords(p payments.Payment) []byte {
	from, to, nonce := common.HexToAddress(p.Payer), common.HexToAddress(p.PayTo), common.HexToHash(p.Nonce)
	words := append(common.LeftPadBytes(from[:], 32), common.LeftPadBytes(to[:], 32)...)
	for _, n := range []uint64{uint64(p.Amount), p.ValidAfter, p.ValidBefore} {
		words = binary.BigEndian.AppendUint64(append(words, make([]byte, 24)...), n)
	}
	return append(words, nonce[:]...)
}

// Authorize signs a payment and returns the signature.
func (k *Key) Authorize(t Token, p payments.Payment) (string, error) {
	return k.signHash(t.AuthorizationDigest(p))
}

// leastLeft is how long an authorization must still be valid when it is accepted.
const leastLeft = 6 * time.Second

// Authentic implements the part of payments.Facilitator of that name: the
// signature is the payer's over this authorization of this token.
func (t Token) Authentic(p payments.Payment) error {
	if p.Network != fmt.Sprintf("eip155:%d", t.ChainID) || common.HexToAddress(p.Asset) != t.Address {
		return &payments.Invalid{Reason: x402.ReasonNetwork, Message: "The payment is for another network or asset."}
	}
	signer, err := recoverSigner(t.AuthorizationDigest(p), p.Signature)
	if err != nil || signer != common.HexToAddress(p.Payer) {
		return &payments.Invalid{Reason: x402.ReasonSignature, Message: fmt.Sprintf(
			"The signature is not the payer's over this authorization. Sign with the domain name %q, version %q, chain id %d.", t.Name, t.Version, t.ChainID)}
	}
	return nil
}

// Open implements the part of payments.Facilitator of that name. The token wants
// the block time strictly between validAfter and validBefore.
func (t Token) Open(p payments.Payment, now time.Time) error {
	seconds := uint64(now.Unix())
	if p.ValidBefore < seconds+uint64(leastLeft/time.Second) {
		return &payments.Invalid{Reason: x402.ReasonValidBefore, Message: "The authorization has expired or is valid for less than 6 more seconds."}
	}
	if p.ValidAfter >= seconds {
		return &payments.Invalid{Reason: x402.ReasonValidAfter, Message: "The authorization is not valid yet."}
	}
	return nil
}

// Selectors and topics (research: EIP-3009 and ERC-20 of the production token).
var (
	selectorTransfer = selector("transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)")
	selectorState    = selector("authorizationState(address,bytes32)")
	selectorBalance  = selector("balanceOf(address)")
	// DOMAIN_SEPARATOR is not part of EIP-3009, but the production token has it.
	selectorSeparator = selector("DOMAIN_SEPARATOR()")

	topicUsed     = crypto.Keccak256Hash([]byte("AuthorizationUsed(address,bytes32)"))
	topicCanceled = crypto.Keccak256Hash([]byte("AuthorizationCanceled(address,bytes32)"))
	topicTransfer = crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)"))
)

func selector(signature string) []byte { return crypto.Keccak256([]byte(signature))[:4] }

// transferCall is the calldata of transferWithAuthorization with v, r, s.
func transferCall(p payments.Payment) ([]byte, error) {
	raw, err := hexutil.Decode(p.Signature)
	if err != nil || len(raw) != crypto.SignatureLength {
		return nil, errSignature
	}
	v := raw[64]
	if v < 27 {
		v += 27
	}
	call := append(selectorTransfer[:4:4], authorizationWords(p)...)
	call = append(call, word(uint64(v))...)
	return append(call, raw[:64]...), nil
}

// addressTopic is an address as an indexed event member.
func addressTopic(a string) common.Hash { return common.BytesToHash(common.HexToAddress(a).Bytes()) }

func amountOf(data []byte) *big.Int { return new(big.Int).SetBytes(data) }
