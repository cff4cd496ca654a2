package audit

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
)

// Format is a form in which a chain leaves its store.
type Format string

const (
	// JSONL are the stored bytes, a line an entry. It is the only form that can be
	// verified; nothing is checked, so that a damaged chain can be handed on as it is.
	JSONL Format = "jsonl"
	// CSV is a table for spreadsheets (RFC 4180): seq, time, id, actor, event,
	// payload, prev_hash, hash. A text that a spreadsheet would take for a formula has
	// an apostrophe before it.
	CSV Format = "csv"
	// AAT is one record an entry in the form of draft-sharif-agent-audit-trail, with
	// the hash chain of the draft. See [aatExporter] for what is mapped from what.
	AAT Format = "aat"
)

// ExportOptions say what of a chain is exported. The zero value is all of it.
type ExportOptions struct {
	Format Format // "" is JSONL
	// From and To are the first and last seq; 0 is the beginning and the end.
	From, To uint64
}

// Check validates the options.
func (o ExportOptions) Check() error {
	_, err := newExporter(o)
	return err
}

// Damaged is the error of an export at an entry that does not verify.
type Damaged struct {
	Seq uint64 // that was due
	Why string
}

// Error names the entry and what to do.
func (d Damaged) Error() string {
	return fmt.Sprintf("audit: entry %d: %s; verify the chain, or export it as %s", d.Seq, d.Why, JSONL)
}

// exporter writes entries in one form.
type exporter interface {
	begin(w *bufio.Writer)
	// entry gets every line, without its newline. It returns the reason for which a
	// line is no entry, or the error of w.
	entry(w *bufio.Writer, line []byte) (Reason, error)
}

// Export writes the entries of a store and returns how many. It keeps one entry in
// memory. CSV and AAT recompute every hash and end with [Damaged] at the first entry
// that does not follow from the one before; after an error the output is
// incomplete. An error of w or of the store is wrapped.
func Export(ctx context.Context, s Store, w io.Writer, o ExportOptions) (uint64, error) {
	head, err := s.Head(ctx)
	if err != nil {
		return 0, fmt.Errorf("audit: reading the head: %w", err)
	}

	o.From = max(o.From, 1)
	if o.To == 0 || o.To > head.Seq {
		o.To = head.Seq
	}

	r := newBlockReader(s.Blocks(ctx, o.From, o.To))
	defer r.stop()

	return export(r, o.From, w, o)
}

// ExportReader is Export for a chain that r yields from its first line on.
func ExportReader(r io.Reader, w io.Writer, o ExportOptions) (uint64, error) {
	return export(r, 1, w, o)
}

// export reads lines of which the first is entry next.
func export(r io.Reader, next uint64, w io.Writer, o ExportOptions) (exported uint64, err error) {
	e, err := newExporter(o)
	if err != nil {
		return 0, err
	}

	lines := bufio.NewReaderSize(r, MaxLine+1)
	out := bufio.NewWriterSize(w, pieceSize)
	e.begin(out)

	for ; o.To == 0 || next <= o.To; next++ {
		line, err := lines.ReadSlice('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			break
		}
		if err != nil {
			return exported, noLine(next, err)
		}
		if next < o.From {
			continue
		}

		reason, err := e.entry(out, line[:len(line)-1])
		if reason != "" {
			return exported, Damaged{next, string(reason)}
		}
		if err != nil {
			return exported, fmt.Errorf("audit: exporting: %w", err)
		}

		exported++
	}

	return exported, out.Flush()
}

// noLine returns the error for a missing or incomplete line.
func noLine(seq uint64, err error) error {
	switch {
	case errors.Is(err, io.EOF):
		return Damaged{seq, "the chain ends within its line"}
	case errors.Is(err, bufio.ErrBufferFull):
		return Damaged{seq, "its line is too long"}
	}
	return fmt.Errorf("audit: reading entry %d: %w", seq, err)
}

func newExporter(o ExportOptions) (exporter, error) {
	if o.To > 0 && o.From > o.To {
		return nil, fmt.Errorf("audit: nothing to export from %d to %d", o.From, o.To)
	}
	switch o.Format {
	case "", JSONL:
		return rawExporter{}, nil
	case CSV:
		return new(csvExporter), nil
	case AAT:
		return new(aatExporter), nil
	}
	return nil, fmt.Errorf("audit: no format %q; there are %s, %s and %s", o.Format, JSONL, CSV, AAT)
}

type rawExporter struct{}

func (rawExporter) begin(*bufio.Writer) {}

func (rawExporter) entry(w *bufio.Writer, line []byte) (Reason, error) {
	w.Write(line) // the next write returns the error again
	return "", w.WriteByte('\n')
}

// follower reads lines that must follow one another. The first line determines its
// own place.
type follower struct{ head Head }

func (f *follower) read(line []byte) (Entry, Reason) {
	if f.head.Seq == 0 {
		t, ok := splitTail(line)
		if ok && t.seq > 1 && isHex(t.prev) {
			f.head = Head{Seq: t.seq - 1, Hash: parseHex(t.prev)}
		}
	}

	e, reason := f.head.Check(line)
	if reason == "" {
		f.head = e.Head()
	}
	return e, reason
}
