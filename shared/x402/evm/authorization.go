package evm

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
)

// Token is the EIP-712 domain of a token with EIP-3009.
type Token struct {
	Name, Version string
	ChainID       uint64
	Address       common.Address
	LongLived     bool // authorizations of EIP-3009 may live for longer than an hour: for play money, whose committed examples are signed for years

	separator common.Hash
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

	t := Token{
		Name:    name,
		Version: version,
		ChainID: chainID,
		Address: common.HexToAddress(asset),
	}
	t.separator = crypto.Keccak256Hash(tokenDomain, crypto.Keccak256([]byte(t.Name)), crypto.Keccak256([]byte(t.Version)),
		word(t.ChainID), common.LeftPadBytes(t.Address[:], 32))
	return t, nil
}

var (
	tokenDomain  = crypto.Keccak256([]byte("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"))
	transferType = crypto.Keccak256([]byte("TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"))
)

// Separator is the token's EIP-712 domain separator.
func (t Token) Separator() common.Hash { return t.separator }

// AuthorizationDigest is the EIP-712 hash that the payer signs:
// TransferWithAuthorization (EIP-3009) or PermitWitnessTransferFrom (Permit2).
func (t Token) AuthorizationDigest(p payments.Payment) common.Hash {
	if p.Method == payments.MethodPermit2 {
		return t.permitDigest(p)
	}
	return digest(t.separator[:], crypto.Keccak256(append(transferType[:len(transferType):len(transferType)], authorizationWords(p)...)))
}

// authorizationWords are the six members as 32-byte words, as hashed and as
// passed to the token.
func authorizationWords(p payments.Payment) []byte {
	return words(common.HexToAddress(p.Payer), common.HexToAddress(p.PayTo),
		uint64(p.Amount), p.ValidAfter, p.ValidBefore, common.HexToHash(p.Nonce))
}

// Authorize signs a payment and returns the signature.
func (k *Key) Authorize(t Token, p payments.Payment) (string, error) {
	return k.signHash(t.AuthorizationDigest(p))
}

// authorizationLongest is how many seconds before its end an authorization of EIP-3009 is
// accepted at most: an hour, as for a permit, and a minute for the clock of the payer.
// Until that end a payment whose settlement failed is open.
const authorizationLongest = 3600 + 60

// leastLeft is how long an authorization must still be valid when it is accepted.
const leastLeft = 6 * time.Second

// Authentic reports whether a key signed the payment, without a chain: nil or
// *payments.Invalid. The signature of a contract wallet is invalid here; only
// [Chain.Authentic] can ask the wallet.
func (t Token) Authentic(p payments.Payment) error {
	if p.Network != "eip155:"+strconv.FormatUint(t.ChainID, 10) ||
		common.HexToAddress(p.Asset) != t.Address {
		return &payments.Invalid{
			Reason:  x402.ReasonNetwork,
			Message: "The payment is for another network or asset.",
		}
	}

	signer, err := recoverSigner(t.AuthorizationDigest(p), p.Signature)
	if err == nil && signer == common.HexToAddress(p.Payer) {
		return nil
	}

	message := fmt.Sprintf("Sign with the domain name %q, version %q, chain id %d.",
		t.Name, t.Version, t.ChainID)
	if p.Method == payments.MethodPermit2 {
		message = fmt.Sprintf("Sign with the domain name \"Permit2\", chain id %d and contract %s.",
			t.ChainID, permit2Address)
	}

	return &payments.Invalid{
		Reason:  signatureReason(p),
		Message: "The signature is not the payer's over this authorization. " + message,
	}
}

func signatureReason(p payments.Payment) string {
	if p.Method == payments.MethodPermit2 {
		return x402.ReasonPermitSignature
	}
	return x402.ReasonSignature
}

// Open implements the part of payments.Facilitator of that name. The token wants
// the block time strictly between validAfter and validBefore; Permit2 would take
// both ends, too.
func (t Token) Open(p payments.Payment, now time.Time) error {
	seconds := uint64(now.Unix())
	permit := p.Method == payments.MethodPermit2
	switch {
	case p.ValidBefore < seconds+uint64(leastLeft/time.Second):
		reason := x402.ReasonValidBefore
		if permit {
			reason = x402.ReasonDeadline
		}
		return &payments.Invalid{
			Reason:  reason,
			Message: "The authorization has expired or is valid for less than 6 more seconds.",
		}
	case p.ValidAfter >= seconds:
		reason := x402.ReasonValidAfter
		if permit {
			reason = x402.ReasonNotYetValid
		}
		return &payments.Invalid{
			Reason:  reason,
			Message: "The authorization is not valid yet.",
		}
	case !permit &&
		!t.LongLived &&
		p.ValidBefore > seconds+authorizationLongest:
		return &payments.Invalid{
			Reason:  x402.ReasonValidBefore,
			Message: "validBefore is more than an hour ahead. Sign a shorter authorization.",
		}
	case permit && p.ValidBefore > seconds+permitLongest:
		return &payments.Invalid{
			Reason:  x402.ReasonPayload,
			Message: fmt.Sprintf("The deadline is more than %d seconds ahead. Sign a shorter one.", permitLongest),
		}
	}

	return nil
}

// Selectors and topics (research: EIP-3009 and ERC-20 of the production token).
var (
	selectorTransfer      = selector("transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)")
	selectorTransferBytes = selector("transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)")
	selectorState         = selector("authorizationState(address,bytes32)")
	selectorBalance       = selector("balanceOf(address)")
	// DOMAIN_SEPARATOR is not part of EIP-3009, but the production token has it.
	selectorSeparator = selector("DOMAIN_SEPARATOR()")

	topicUsed     = crypto.Keccak256Hash([]byte("AuthorizationUsed(address,bytes32)"))
	topicCanceled = crypto.Keccak256Hash([]byte("AuthorizationCanceled(address,bytes32)"))
	topicTransfer = crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)"))
)

func selector(signature string) []byte {
	return crypto.Keccak256([]byte(signature))[:4]
}

// addressTopic is an address as an indexed event member.
func addressTopic(a string) common.Hash {
	return common.BytesToHash(common.HexToAddress(a).Bytes())
}

func amountOf(data []byte) *big.Int {
	return new(big.Int).SetBytes(data)
}
