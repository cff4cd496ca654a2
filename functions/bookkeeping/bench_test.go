package bookkeeping

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"governance.internal/functions/bookkeeping/bank"
)

// manyRows is the largest export that is taken.
func manyRows() bank.Source {
	var b bytes.Buffer
	b.WriteString("Date,Description,Amount,Balance,Currency\n")
	balance := 0
	for i := range bank.MostRows {
		minor := i%977 - 488
		balance += minor
		fmt.Fprintf(&b, "%s,%s %d,%d.00,%d.00,USD\n", dayAt(i/60%700), sellers[i%len(sellers)].description, i, minor, balance)
	}
	return bank.Source{
		Name: "many.csv",
		Data: b.Bytes(),
	}
}

func BenchmarkManyRows(b *testing.B) {
	source := manyRows()
	for b.Loop() {
		books, err := Keep([]bank.Source{source}, Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := books.Answer.WriteJSON(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
