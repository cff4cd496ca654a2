package dynamo

import (
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
	prevHash  = "prev_hash"
	owner     = "owner"
	ends      = "ends"
	manifest  = "manifest"
)

const (
	bucketSize = 65536     // seqs in a partition of blocks
	maxSeq     = 1<<53 - 1 // of the line format
	shards     = 4         // of the inbox: some 1,000 events a second, like the chain itself
)

func text(s string) types.AttributeValue {
	return &types.AttributeValueMemberS{Value: s}
}

func number(n uint64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatUint(n, 10)}
}

func binary(b []byte) types.AttributeValue {
	return &types.AttributeValueMemberB{Value: b}
}

func key(pk, sk string) item {
	return item{partition: text(pk), sorting: text(sk)}
}

func (s *Store) headKey() item {
	return key("h#"+s.chain, "head")
}

func (s *Store) leaseKey() item {
	return key("l#"+s.chain, "lease")
}

func (s *Store) idKey(id string) item {
	return key("i#"+s.chain+"#"+id, "id")
}

func bucket(seq uint64) uint64 { return (seq - 1) / bucketSize }

func (s *Store) blockPartition(bucket uint64) string {
	return fmt.Sprintf("c#%s#%d", s.chain, bucket)
}

func blockSorting(first uint64) string { return fmt.Sprintf("%016d", first) }

func (s *Store) inboxPartition(shard uint32) string {
	return fmt.Sprintf("q#%s#%d", s.chain, shard)
}

// inboxKey orders the waiting events by their time of arrival.
func (s *Store) inboxKey(id string, now time.Time) item {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(id)) // never fails

	shard := sum.Sum32() % shards
	sorting := fmt.Sprintf("%020d#%s", now.UnixNano(), id)
	return key(s.inboxPartition(shard), sorting)
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

// headOf reads the head item, or what an id item has of its entry; false if there
// is none or if it is damaged.
func headOf(i item) (audit.Head, bool) {
	at, err := time.Parse(time.RFC3339Nano, textOf(i, stamp))
	place := numberOf(i, seq)
	sum := bytesOf(i, hash)

	if err != nil || place == 0 || place > maxSeq {
		return audit.Head{}, false
	}
	if len(sum) != len(audit.Hash{}) {
		return audit.Head{}, false
	}

	return audit.Head{
		Seq:  place,
		Hash: audit.Hash(sum),
		Time: at.UTC(),
	}, true
}

// withHead adds a head to an item or, with a colon before the names, to values.
func withHead(i item, colon string, h audit.Head) item {
	written := h.Time.UTC().Format(time.RFC3339Nano)
	i[colon+seq] = number(h.Seq)
	i[colon+hash] = binary(h.Hash[:])
	i[colon+stamp] = text(written)
	return i
}

// recorded is an id item: the place of an event in the chain.
type recorded struct{ item }

// entry returns the entry that records d, false if the id stands for another event:
// only the same event at that place has that hash.
func (r recorded) entry(d audit.Draft) (audit.Entry, bool) {
	at, ok := headOf(r.item)
	if !ok {
		return audit.Entry{}, false
	}

	before := audit.Head{
		Seq:  at.Seq - 1,
		Time: at.Time,
	}
	copy(before.Hash[:], bytesOf(r.item, prevHash))

	_, e := before.Next(nil, d, at.Time)
	return e, e.Hash == at.Hash
}
