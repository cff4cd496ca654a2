package bookkeeping

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
)

// noLedger is how an answer without its ledger is written.
var noLedger = []byte("\n  \"ledger\": null,")

// WriteJSON writes an answer as json.Encoder does with an indent of two spaces, row by row, because a
// large ledger as one text would take several times its memory.
func (a *Answer) WriteJSON(w io.Writer) error {
	frame := *a
	frame.Ledger = nil
	text, err := json.MarshalIndent(frame, "", "  ")
	if err != nil {
		return err
	}

	before, behind, _ := bytes.Cut(text, noLedger)
	out := bufio.NewWriterSize(w, 1<<16)
	_, _ = out.Write(before) // Flush returns the first error
	if err := a.writeLedger(out); err != nil {
		return err
	}
	_, _ = out.Write(behind)
	_ = out.WriteByte('\n')
	return out.Flush()
}

func (a *Answer) writeLedger(out *bufio.Writer) error {
	if len(a.Ledger) == 0 {
		_, err := out.WriteString("\n  \"ledger\": [],")
		return err
	}

	separator := "\n  \"ledger\": [\n    "
	for _, e := range a.Ledger {
		row, err := json.MarshalIndent(e, "    ", "  ")
		if err != nil {
			return err
		}
		_, _ = out.WriteString(separator)
		_, _ = out.Write(row)
		separator = ",\n    "
	}
	_, err := out.WriteString("\n  ],")
	return err
}
