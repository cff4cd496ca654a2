package dynamo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"governance.internal/shared/payments"
)

// Bytes of an encoded record. An item holds 400 KB. A withheld result must leave room for
// the settlement, because the reply must fit after the money has moved.
const (
	mostResult = 300 << 10
	mostRecord = 390 << 10
	mostBody   = 6 << 20 // what a function may answer
)

// encode gives the stored form of a record and the digest of a body that was
// stored beside it, "" for none.
func (s *Store) encode(ctx context.Context, r payments.Record) (encoded []byte, digest string, err error) {
	encoded, err = r.Encode()
	if err != nil || len(encoded) <= mostResult {
		return encoded, "", err
	}

	if s.objects != nil && (r.Result != nil || r.Reply != nil) {
		if digest, err = s.move(ctx, &r); err != nil {
			return nil, "", err
		}
		encoded, err = r.Encode()
	}

	most := mostRecord
	if r.Result != nil {
		most = mostResult
	}

	if err == nil && len(encoded) > most {
		err = fmt.Errorf("payment table: the record of %s has %d bytes, at most %d fit",
			r.Key(), len(encoded), most)
	}

	return encoded, digest, err
}

// answer returns the answer of a record: the result until it is settled, then the reply.
func answer(r *payments.Record) **payments.Answer {
	if r.Result != nil {
		return &r.Result
	}
	return &r.Reply
}

func object(digest string) string { return "payments/" + digest }

// move stores the body of a record's answer as an object. It does not modify the caller's
// record.
func (s *Store) move(ctx context.Context, r *payments.Record) (digest string, err error) {
	whole := **answer(r)
	if len(whole.Body) > mostBody {
		return "", fmt.Errorf("payment table: the answer of %s has %d bytes, at most %d fit",
			r.Key(), len(whole.Body), mostBody)
	}

	sum := sha256.Sum256(whole.Body)
	digest = hex.EncodeToString(sum[:])
	if err := s.objects.Put(ctx, object(digest), whole.Body); err != nil {
		return "", fmt.Errorf("payment table: %w", err)
	}

	whole.Body = nil
	*answer(r) = &whole
	return digest, nil
}

// fetch puts the body back.
func (s *Store) fetch(ctx context.Context, r *payments.Record, digest string) error {
	if s.objects == nil {
		return errors.New("payment table: the answer of " + r.Key().String() + " is in a bucket; set RESULT_BUCKET")
	}
	body, err := s.objects.Get(ctx, object(digest), mostBody)
	if err != nil {
		return fmt.Errorf("payment table: answer of %s: %w", r.Key(), err)
	}

	sum := sha256.Sum256(body)
	if hex.EncodeToString(sum[:]) != digest || *answer(r) == nil {
		return fmt.Errorf("payment table: the stored answer of %s is not as it was written", r.Key())
	}

	(*answer(r)).Body = body
	return nil
}
