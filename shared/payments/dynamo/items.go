package dynamo

import (
	"fmt"
	"hash/fnv"
	"math"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"governance.internal/shared/payments"
)

type item = map[string]types.AttributeValue

// Attributes.
const (
	partition = "pk"
	sorting   = "sk"
	version   = "version"
	open      = "open" // whether the record has an OPEN entry
	data      = "data"
	bound     = "bound" // identifier and payload hash that the record's writer bound
	written   = "write" // token of the write that put the item there
	expires   = "ttl"
	body      = "body" // SHA-256 of the body of result or reply, which is an object
	hashed    = "payload_hash"
	nextNonce = "next_nonce"
	asset     = "asset" // of the key: the contract that counts the nonce
	payer     = "payer"
	authNonce = "nonce"
	committed = "committed" // atomic units of a payer's payments, under way or settled
	spent     = "spent"     // atomic units of those that are settled
	strikes   = "strikes"   // settlements of a payer that failed on the chain
	paused    = "paused"    // end of the payer's pause, Unix milliseconds
	due       = "due"       // when a sweep first looks at an open record, Unix milliseconds
	gas       = "gas"       // burned in vain
)

// shards spread the writes of unfinished payments over the table.
const shards = 16

// keep is the minimum lifetime of an item after it was written.
const keep = 30 * 24 * time.Hour

// walletKeep is longer than a gas wallet is ever unused.
const walletKeep = 10 * 365 * 24 * time.Hour

func text(s string) types.AttributeValue {
	return &types.AttributeValueMemberS{Value: s}
}

func number(n uint64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatUint(n, 10)}
}

func signed(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

func yes(b bool) types.AttributeValue {
	return &types.AttributeValueMemberBOOL{Value: b}
}

func binary(b []byte) types.AttributeValue {
	return &types.AttributeValueMemberB{Value: b}
}

func key(pk, sk string) item {
	return item{partition: text(pk), sorting: text(sk)}
}

func recordKey(k payments.Key) item {
	return key("PAY#"+k.String(), "record")
}

func noncePartition(nonce string) string { return "NONCE#" + nonce }

func requestPartition(payer, fingerprint string) string {
	return "REQ#" + payments.RequestKey(payer, fingerprint)
}

func openPartition(shard uint32) string { return fmt.Sprintf("OPEN#%d", shard) }

func openKey(k payments.Key) item {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(k.String())) // never fails
	return key(openPartition(hash.Sum32()%shards), k.String())
}

func identifierKey(identifier string) item {
	return key("IDEM#"+identifier, "identifier")
}

func walletKey(chain, wallet string) item {
	return key("WALLET#"+chain+"#"+wallet, "wallet")
}

func accountKey(account string) item { return key("ACCOUNT#"+account, "account") }

func hourKey(hour int64) item {
	return key("GAS#"+strconv.FormatInt(hour, 10), "gas")
}

func attemptPartition(chain, wallet string) string {
	return "WTX#" + chain + "#" + wallet
}

func attemptSorting(nonce uint64) string { return fmt.Sprintf("%020d", nonce) }

// withKey adds the parts of a payment key, to read it back.
func withKey(i item, k payments.Key) item {
	i[asset] = text(k.Contract)
	i[payer] = text(k.Payer)
	i[authNonce] = text(k.Nonce)
	return i
}

func keyOf(i item) payments.Key {
	return payments.Key{
		Contract: textOf(i, asset),
		Payer:    textOf(i, payer),
		Nonce:    textOf(i, authNonce),
	}
}

func textOf(i item, name string) string {
	value, _ := i[name].(*types.AttributeValueMemberS)
	if value == nil {
		return ""
	}
	return value.Value
}

func numberOf(i item, name string) (uint64, error) {
	text, err := digitsOf(i, name)
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(text, 10, 64)
}

func integerOf(i item, name string) (int64, error) {
	text, err := digitsOf(i, name)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(text, 10, 64)
}

func digitsOf(i item, name string) (string, error) {
	value, _ := i[name].(*types.AttributeValueMemberN)
	if value == nil {
		return "", fmt.Errorf("payment table: an item without %s", name)
	}
	return value.Value, nil
}

func bytesOf(i item, name string) []byte {
	value, _ := i[name].(*types.AttributeValueMemberB)
	if value == nil {
		return nil
	}
	return value.Value
}

// lasting is the ttl of an item written now for a payment: keep after now and
// after the end of its authorization, whichever is later.
func lasting(now time.Time, p payments.Payment, more time.Duration) types.AttributeValue {
	written := uint64(max(now.Unix(), 0))
	from := max(written, p.ValidBefore)
	added := uint64((keep + more) / time.Second)

	if from > math.MaxUint64-added {
		return number(math.MaxUint64)
	}
	return number(from + added)
}
