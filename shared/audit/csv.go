package audit

import (
	"bufio"
	"strconv"
	"strings"
)

// csvExporter writes a header and a row an entry, all text quoted and rows ended by
// CR LF as RFC 4180 wants. encoding/csv is not used because it changes line breaks
// within a text.
type csvExporter struct{ from follower }

func (c *csvExporter) begin(w *bufio.Writer) {
	w.WriteString("seq,time,id,actor,event,payload,prev_hash,hash\r\n")
}

func (c *csvExporter) entry(w *bufio.Writer, line []byte) (Reason, error) {
	e, reason := c.from.read(line)
	if reason != "" {
		return reason, nil
	}

	w.WriteString(strconv.FormatUint(e.Seq, 10))
	texts := []string{
		e.Time.Format(timeLayout),
		e.ID,
		e.Actor,
		e.Event,
		string(e.Payload),
		e.PrevHash.String(),
		e.Hash.String(),
	}
	for _, text := range texts {
		w.WriteString(`,"`)
		if isFormula(text) {
			w.WriteByte('\'')
		}
		w.WriteString(strings.ReplaceAll(text, `"`, `""`))
		w.WriteByte('"')
	}

	_, err := w.WriteString("\r\n")
	return "", err
}

// isFormula reports whether a spreadsheet may run a text (CWE-1236): it begins with
// one of the signs that begin a formula, also in full width, or with white space that
// some of them strip.
func isFormula(text string) bool {
	return strings.IndexAny(text, "=+-@\t\r\n＝＋－＠") == 0
}
