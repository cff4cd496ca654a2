// Package dynamo is the payment store of a deployment: one DynamoDB table. Each write is
// one request with conditions, each read is strongly consistent, and the response to a
// write may get lost: a retried write recognizes its earlier try.
//
// The table has the keys pk and sk, both strings, and no index:
//
//	pk                      sk            what
//	PAY#<payment key>       record        version, open, data, bound, write, perhaps body
//	NONCE#<nonce>           payment key   finds the records of an authorization nonce
//	REQ#<request key>       order         finds the records of equal requests
//	OPEN#<shard>            payment key   exists while the record is open; due: when a sweep looks at it
//	IDEM#<identifier key>   identifier    payload_hash
//	WALLET#<chain>#<wallet> wallet        next_nonce
//	WTX#<chain>#<wallet>    wallet nonce  data: the signed transaction, 20 digits
//	ACCOUNT#<account key>   account       committed, spent, strikes, paused: what a payer's payments add up to
//	GAS#<hour>              gas           gas that was burned in vain in that hour
//
// A body that makes the record larger than 300 KB is an object of its own, named
// by its SHA-256 in the attribute body. The object is written before the item.
//
// The attribute ttl (Unix seconds), which all but the OPEN entries have, removes items that
// are no longer needed. It is optional: no guarantee depends on it.
//
// The function's role needs, on this table alone: dynamodb:GetItem,
// dynamodb:Query, dynamodb:PutItem, dynamodb:UpdateItem and dynamodb:DeleteItem.
// TransactWriteItems needs no permission beside those of its parts.
package dynamo

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"governance.internal/shared/awsapi/dynamo"
	"governance.internal/shared/payments"
)

// CallLimit is the time for one call of the store, all its tries included.
const CallLimit = 10 * time.Second

// Options name the table and how to reach it. Table and either Endpoint or Region and
// Credentials are required.
type Options struct {
	Table       string
	Region      string
	Credentials aws.CredentialsProvider
	Endpoint    string            // of a local engine, which needs neither region nor credentials; "" for AWS
	Objects     Objects           // where results above 300 KB go; nil: they are refused
	Transport   http.RoundTripper // nil: the default one
	Now         func() time.Time  // nil: time.Now; it only dates the ttl
	Limit       time.Duration     // [CallLimit] but in tests; 0 is CallLimit. A third of it is for one request
}

// Objects keeps bodies that do not fit into an item.
type Objects interface {
	Put(ctx context.Context, key string, body []byte) error
	Get(ctx context.Context, key string, most int64) ([]byte, error)
}

// Store implements payments.Store.
type Store struct {
	client  *dynamodb.Client
	table   *string
	objects Objects
	now     func() time.Time
	limit   time.Duration
}

var _ payments.Store = (*Store)(nil)

// Open prepares the client; it sends nothing.
func Open(o Options) *Store {
	if o.Now == nil {
		o.Now = time.Now
	}

	client := dynamo.New(dynamo.Service{
		Region:      o.Region,
		Credentials: o.Credentials,
		Endpoint:    o.Endpoint,
		Transport:   o.Transport,
		Attempt:     o.Limit / 3,
	}, dynamo.ReasonConflict)
	return &Store{
		client:  client,
		table:   aws.String(o.Table),
		objects: o.Objects,
		now:     o.Now,
		limit:   cmp.Or(o.Limit, CallLimit),
	}
}
