package dynamo

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash/fnv"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"governance.internal/shared/audit"
)

type item = map[string]types.AttributeValue

// Attributes.
const (
	partition = "pk"
	sorting   = "sk"
	lines     = "b"
	lastHash  = "last_hash"
	seq       = "seq"
	hash      = "hash"
	stamp     = "time"
	digest    = "digest"
	owner     = "owner"
	ends      = "ends"
)

const (
	bucketSize = 65536     // seqs in a partition of blocks
	maxSeq     = 1<<53 - 1 // of the line format
	shards     = 4         // of the inbox: some 1,000 events a second, like the chain itself
)

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(n uint64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatUint(n, 10)}
}

func binary(b []byte) types.AttributeValue { return &types.AttributeValueMemberB{Value: b} }

func key(pk, sk string) item { return item{partition: text(pk), sorting: text(sk)} }

func (s *Store) headKey() item { return key("h#"+s.chain, "head") }

func (s *Store) leaseKey() item { return key("l#"+s.chain, "lease") }

func (s *Store) idKey(id string) item { return key("i#"+s.chain+"#"+id, "id") }

func bucket(seq uint64) uint64 { return (seq - 1) / bucketSize }

func (s *Store) blockPartition(bucket uint64) string { return fmt.Sprintf("c#%s#%d", s.chain, bucket) }

func blockSorting(first uint64) string { return fmt.Sprintf("%016d", first) }

func (s *Store) inboxPartition(shard uint32) string { return fmt.Sprintf("q#%s#%d", s.chain, shard) }

// inboxKey orders what waits by the time when it came.
func (s *Store) inboxKey(id string, now time.Time) item {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(id)) // never fails
	return key(s.inboxPartition(sum.Sum32()%shards), fmt.Sprintf("%020d#%s", now.UnixNano(), id))
}

func textOf(i item, name string) string {
	value, _ := i[name].(*types.AttributeValueMemberS)
	if value == nil {
		return ""
	}
	return value.Value
}

// numberOf is 0 for what is no number.
func numberOf(i item, name string) uint64 {
	value, _ := i[name].(*types.AttributeValueMemberN)
	if value == nil {
		return 0
	}
	n, _ := strconv.ParseUint(value.Value, 10, 64)
	return n
}

func bytesOf(i item, name string) []byte {
	value, _ := i[name].(*types.AttributeValueMemberB)
	if value == nil {
		return nil
	}
	return value.Value
}

// headOf reads the head item, false if there is none or if it is damaged.
func headOf(i item) (audit.Head, bool) {
	at, err := time.Parse(time.RFC3339Nano, textOf(i, stamp))
	h := audit.Head{Seq: numberOf(i, seq), Time: at.UTC()}
	n := copy(h.Hash[:], bytesOf(i, hash))
	if err != nil || h.Seq == 0 || h.Seq > maxSeq || n != len(h.Hash) || len(bytesOf(i, hash)) != n {
		return audit.Head{}, false
	}
	return h, true
}

func headValues(h audit.Head) item {
	return item{":seq": number(h.Seq), ":hash": binary(h.Hash[:]), ":time": text(h.Time.UTC().Format(time.RFC3339Nano))}
}

// recorded is what an id item says.
type recorded struct {
	seq    uint64
	digest []byte
}

func recordedOf(i item) recorded { return recorded{numberOf(i, seq), bytesOf(i, digest)} }

func digestOf(d audit.Draft) []byte {
	sum := sha256.Sum256(d.Content())
	return sum[:]
}

// is says whether the item stands for this very event.
func (r recorded) is(d audit.Draft) bool { return bytes.Equal(r.digest, digestOf(d)) }
