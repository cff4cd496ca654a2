package bank

import (
	"crypto/sha256"
	"encoding/hex"

	"governance.internal/functions/bookkeeping/dialect"
	"governance.internal/functions/bookkeeping/table"
)

// Digests are the digests of the records of a file by the line where they start.
func Digests(source Source) (map[int]string, error) {
	if isOFX(string(source.Data)) || isCAMT(string(source.Data)) {
		return digestsOfRows(source)
	}

	t, err := table.Read(source.Data, dialect.IsHeader)
	if err != nil {
		return nil, err
	}
	digests := map[int]string{}
	for _, record := range t.Records {
		digests[record.Line] = digestOf(record.Raw)
	}
	return digests, nil
}

func digestsOfRows(source Source) (map[int]string, error) {
	file, err := Read(source, Settings{})
	if err != nil {
		return nil, err
	}
	digests := map[int]string{}
	for _, row := range file.Rows {
		digests[row.Line] = digestOf(row.Raw)
	}
	return digests, nil
}

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
