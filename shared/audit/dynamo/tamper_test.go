package dynamo_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/audittest"
	"governance.internal/shared/dynamotest"
)

type item = map[string]types.AttributeValue

// intruder writes to the table what no store would.
type intruder struct {
	t      *testing.T
	client *dynamodb.Client
	table  string
}

func newIntruder(t *testing.T, endpoint, table string) intruder {
	return intruder{t, dynamodb.New(dynamodb.Options{Region: "local", BaseEndpoint: &endpoint,
		Credentials: credentials.NewStaticCredentialsProvider("local", "local", "")}), table}
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(n uint64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: fmt.Sprint(n)}
}

func binary(b []byte) types.AttributeValue { return &types.AttributeValueMemberB{Value: b} }

func key(pk, sk string) item { return item{"pk": text(pk), "sk": text(sk)} }

func blockKey(first uint64) item {
	return key(fmt.Sprintf("c#test#%d", (first-1)/65536), fmt.Sprintf("%016d", first))
}

func (in intruder) get(k item) item {
	out, err := in.client.GetItem(in.t.Context(), &dynamodb.GetItemInput{TableName: &in.table, Key: k, ConsistentRead: aws.Bool(true)})
	if err != nil || len(out.Item) == 0 {
		in.t.Fatalf("%v: %v", k, err)
	}
	return out.Item
}

func (in intruder) put(i item) {
	if _, err := in.client.PutItem(in.t.Context(), &dynamodb.PutItemInput{TableName: &in.table, Item: i}); err != nil {
		in.t.Fatal(err)
	}
}

func (in intruder) remove(k item) {
	if _, err := in.client.DeleteItem(in.t.Context(), &dynamodb.DeleteItemInput{TableName: &in.table, Key: k}); err != nil {
		in.t.Fatal(err)
	}
}

var headKey = key("h#test", "head")

func head(h audit.Head) item {
	i := key("h#test", "head")
	i["seq"], i["hash"], i["time"] = number(h.Seq), binary(h.Hash[:]), text(h.Time.Format("2006-01-02T15:04:05.999999999Z07:00"))
	return i
}

// Each manipulation of a chain of seven entries, in blocks that begin at 1, 2, 4, 5 and 7,
// is found at its place; one of the chain's end also prevents appends.
func TestDamageToTheTable(t *testing.T) {
	for _, tc := range []struct {
		name     string
		damage   func(in intruder, entries []audit.Entry)
		reason   audit.Reason
		brokenAt uint64
		refuses  bool // to append, by a store opened afterwards
	}{
		{"nothing", func(intruder, []audit.Entry) {}, "", 0, false},
		{"a byte of a block", func(in intruder, _ []audit.Entry) {
			block := in.get(blockKey(2))
			changed := []byte(strings.Replace(string(block["b"].(*types.AttributeValueMemberB).Value), "tester", "jester", 1))
			block["b"] = binary(changed)
			in.put(block)
		}, audit.HashMismatch, 2, false},
		{"a block in the middle", func(in intruder, _ []audit.Entry) { in.remove(blockKey(4)) }, audit.SeqGap, 4, false},
		{"the lines of a block", func(in intruder, _ []audit.Entry) { in.put(blockKey(4)) }, audit.SeqGap, 4, false},
		{"the last block", func(in intruder, _ []audit.Entry) { in.remove(blockKey(7)) }, audit.Truncated, 7, true},
		{"the head", func(in intruder, _ []audit.Entry) { in.remove(headKey) }, audit.Missing, 1, true},
		{"the hash of the head", func(in intruder, _ []audit.Entry) {
			h := in.get(headKey)
			h["hash"] = binary([]byte("short"))
			in.put(h)
		}, audit.Missing, 1, true},
		{"the head moved back", func(in intruder, entries []audit.Entry) { in.put(head(entries[3].Head())) }, "", 0, true},
		{"a head of another chain", func(in intruder, entries []audit.Entry) {
			other := entries[6].Head()
			other.Hash[0]++
			in.put(head(other))
		}, audit.HeadMismatch, 7, true},
		{"a head far away", func(in intruder, entries []audit.Entry) {
			other := entries[6].Head()
			other.Seq = 1 << 50
			in.put(head(other))
		}, audit.Truncated, 8, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			endpoint, table := dynamotest.Table(t, "pk", "sk")
			first := reopen(t, endpoint, table, nil)
			genesis, err := first.Head(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			entries := []audit.Entry{{Seq: 1, Hash: genesis.Hash, Time: genesis.Time}}
			for _, events := range [][]int{{2, 3}, {4}, {5, 6}, {7}} {
				entries = append(entries, appended(t, first, events...)...)
			}
			tc.damage(newIntruder(t, endpoint, table), entries)
			second := reopen(t, endpoint, table, nil)
			report, err := audit.Verify(t.Context(), second, audit.VerifyOptions{Chain: "test", Strict: true})
			if err != nil || report.Reason != tc.reason || (report.BrokenAt != nil && *report.BrokenAt != tc.brokenAt) || report.Valid != (tc.reason == "") {
				t.Errorf("%+v, %v", report, err)
			}
			// Only the next block meets a line after the head.
			refusesAtOnce := tc.refuses && tc.name != "the head moved back"
			if _, err = second.Append(t.Context()); refusesAtOnce != errors.Is(err, audit.ErrTampered) {
				t.Errorf("append of nothing: %v", err)
			}
			_, err = second.Append(t.Context(), audittest.Event(8))
			if tc.refuses && !errors.Is(err, audit.ErrTampered) || !tc.refuses && err != nil {
				t.Errorf("append: %v", err)
			}
		})
	}
}

// A store that saw the chain end later does not follow a head that was moved back,
// not even where the blocks behind it were removed too.
func TestAStoreRemembersTheHead(t *testing.T) {
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	s := reopen(t, endpoint, table, nil)
	entries := append(appended(t, s, 2), appended(t, s, 3)...)
	in := newIntruder(t, endpoint, table)
	in.put(head(entries[0].Head()))
	in.remove(blockKey(3))
	if _, err := s.Append(t.Context(), audittest.Event(4)); !errors.Is(err, audit.ErrTampered) {
		t.Errorf("append: %v", err)
	}
	in.remove(headKey)
	if _, err := s.Append(t.Context(), audittest.Event(4)); !errors.Is(err, audit.ErrTampered) {
		t.Errorf("append without a head: %v", err)
	}
	if h, err := s.Head(t.Context()); err != nil || h.Seq != 0 {
		t.Errorf("a new chain began behind the old one: %+v, %v", h, err)
	}
}

// No block lies in two buckets, and reading goes from one to the next.
func TestAppendAcrossBuckets(t *testing.T) {
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	draft, err := audit.NewDraft(audittest.Event(1))
	if err != nil {
		t.Fatal(err)
	}
	before := audit.Head{Seq: 65533, Hash: audit.Hash{1}}
	line, last := before.Next(nil, draft, before.Time.AddDate(2025, 0, 0))
	in := newIntruder(t, endpoint, table)
	block := blockKey(65534)
	block["b"] = binary(line)
	in.put(block)
	in.put(head(last.Head()))

	s := reopen(t, endpoint, table, nil)
	entries := appended(t, s, 2, 3, 4, 5)
	for _, first := range []uint64{65535, 65537} {
		in.get(blockKey(first))
	}
	want := string(line)
	for _, e := range entries {
		want += string(e.AppendLine(nil)) + "\n"
	}
	if got := string(audittest.Lines(t, s, 65534, 65538)); got != want {
		t.Errorf("stored\n%s\nwant\n%s", got, want)
	}
	if again := appended(t, s, 6, 5, 4); again[0].Seq != 65539 || again[1].Seq != 65538 || again[2].Seq != 65537 {
		t.Errorf("%+v", again)
	}
}

// The store finds changes in the blocks: 20 blocks of 10 entries.
func TestDamageToTheBlocks(t *testing.T) {
	const size = 10
	t.Parallel()
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	s := reopen(t, endpoint, table, nil)
	if _, err := s.Head(t.Context()); err != nil {
		t.Fatal(err)
	}
	in := newIntruder(t, endpoint, table)
	for n := 1; n < audittest.DamageLength; {
		var events []int
		for ; n%size != 0 && n < audittest.DamageLength || len(events) == 0; n++ {
			events = append(events, n)
		}
		appended(t, s, events...)
	}
	genesis, rest := in.get(blockKey(1)), in.get(blockKey(2)) // one block from now on
	in.remove(blockKey(2))
	in.put(blockOf(0, linesOf(genesis)+linesOf(rest)))
	stored := map[int]string{}
	audittest.RunDamage(t, audittest.Damaged{Store: s, Replace: func(lines [][]byte) {
		for first := 0; first < audittest.DamageLength; first += size {
			end := first + size
			if first+size >= audittest.DamageLength {
				end = len(lines)
			}
			block := string(bytes.Join(lines[min(first, len(lines)):min(end, len(lines))], nil))
			if stored[first] == block {
				continue
			}
			in.put(blockOf(first, block))
			stored[first] = block
		}
	}}, 499)
}

func blockOf(first int, lines string) item {
	i := blockKey(uint64(first + 1))
	i["b"] = binary([]byte(lines))
	return i
}

func linesOf(i item) string { return string(i["b"].(*types.AttributeValueMemberB).Value) }
