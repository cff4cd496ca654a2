package bolt

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"go.etcd.io/bbolt"

	"governance.internal/shared/payments"
)

// apply adds up what changes beside a record.
func apply(tx *bbolt.Tx, change payments.Change) error {
	if change.Empty() {
		return nil
	}
	account, err := accountOf(tx, change.Account)
	if err != nil {
		return err
	}

	data, err := json.Marshal(account.Apply(change))
	if err != nil {
		return err
	}
	if err := tx.Bucket(accounts).Put([]byte(change.Account), data); err != nil {
		return err
	}

	for hour, burned := range change.Gas {
		sum := binary.BigEndian.AppendUint64(nil, gasOf(tx, hour)+burned)
		if err := tx.Bucket(gas).Put(hourKey(hour), sum); err != nil {
			return err
		}
	}

	return nil
}

// accountOf is the zero value for a payer without payments.
func accountOf(tx *bbolt.Tx, key string) (account payments.Account, err error) {
	data := tx.Bucket(accounts).Get([]byte(key))
	if data == nil {
		return account, nil
	}
	if err := json.Unmarshal(data, &account); err != nil {
		return account, fmt.Errorf("account of a payer: %w", err)
	}
	return account, nil
}

func hourKey(hour int64) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(hour))
}

func gasOf(tx *bbolt.Tx, hour int64) uint64 {
	data := tx.Bucket(gas).Get(hourKey(hour))
	if len(data) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(data)
}
