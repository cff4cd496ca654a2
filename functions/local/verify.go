package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"governance.internal/shared/audit"
	"governance.internal/shared/catalog"
	"governance.internal/shared/x402"
)

// verifyCommands verify receipts and chains without the service.
func verifyCommands(t terminal) *cobra.Command {
	return parent("verify", "Verify chains, receipts and proofs, without the service",
		examples(
			"governance verify chain", "the audit trail of this machine",
			"governance verify receipt .data/receipts/*.json", "a receipt of a purchase",
		),
		chainCommand(t),
		receiptCommand(t),
		verifyLedgerCommand(t),
		proofCommand(t),
		consistencyCommand(t),
		verifyImportCommand(t),
		thanksCommand(t),
	)
}

// chainCheck is a parsed verify chain command.
type chainCheck struct {
	expectHead string
	checkpoint string // file
	vkey       string
	form       *form
}

func chainCommand(t terminal) *cobra.Command {
	o := chainCheck{}
	c := command("chain [FILE|URL]", "Verify an audit trail",
		examples(
			"governance verify chain", "the trail of this machine",
			"governance verify chain https://shop.example/audit/export --format json", "the trail of a service, for a program",
			"governance verify chain trail.jsonl --expect-head 12:HASH", "a file that must hold a head noted earlier",
		),
		func(ctx context.Context, files []string) error { return o.run(ctx, t, files) })
	set := c.Flags()
	set.StringVar(
		&o.expectHead,
		"expect-head",
		"",
		"`head` noted earlier, as SEQ:HASH, HASH or SEQ; without one a cut tail cannot be seen",
	)
	set.StringVar(
		&o.checkpoint,
		"checkpoint",
		"",
		"`file` of a signed checkpoint, or of the answer that held it, with which the chain must begin",
	)
	set.StringVar(&o.vkey, "vkey", "", "verifier `key` that must have signed it")
	o.form = addForm(c)

	asJSON := set.VarPF(o.form, "json", "", "the same as --format json")
	asJSON.NoOptDefVal = formJSON
	asJSON.Hidden = true
	return c
}

func (o chainCheck) run(ctx context.Context, t terminal, files []string) error {
	file, err := oneSource("verify chain", files)
	if err != nil {
		return err
	}

	anchors, err := parseAnchor(o.expectHead)
	if err != nil {
		return exit{2, err}
	}

	if o.checkpoint != "" || o.vkey != "" {
		anchor, err := checkpointAnchor(o.checkpoint, o.vkey)
		if err != nil {
			return exit{2, err}
		}
		anchors = append(anchors, anchor)
	}

	noted, err := notedHead(file)
	if err != nil {
		return exit{3, err}
	}

	report, err := verifySource(ctx, file, append(anchors, noted...))
	if err != nil {
		return exit{3, err}
	}

	if o.form.isJSON() {
		err = printJSON(t, report)
	} else {
		err = printReport(t, file, report)
	}

	if err == nil && !report.Valid {
		return exit{1, nil}
	}
	return err
}

func parseAnchor(text string) ([]audit.Anchor, error) {
	if text == "" {
		return nil, nil
	}
	seqText, hashText, both := strings.Cut(text, ":")
	if !both && len(text) == 64 {
		seqText, hashText = "", text
	}

	var seq uint64
	var hash audit.Hash
	var err error

	if seqText != "" {
		if seq, err = strconv.ParseUint(seqText, 10, 64); err != nil {
			return nil, errors.New("--expect-head is SEQ:HASH, HASH or SEQ")
		}
	}

	if hashText != "" {
		if hash, err = audit.ParseHash(hashText); err != nil {
			return nil, fmt.Errorf("--expect-head: %w", err)
		}
	}

	if seq == 0 && hash.IsZero() {
		return nil, errors.New("--expect-head names no entry; it is SEQ:HASH, HASH or SEQ, from 1")
	}
	return []audit.Anchor{audit.ExpectHead(seq, hash)}, nil
}

// notedHead is the head that the service noted beside its chain, nil without a note.
func notedHead(file string) ([]audit.Anchor, error) {
	if isURL(file) {
		return nil, nil
	}
	text, err := os.ReadFile(file + ".head")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	anchors, err := parseAnchor(strings.TrimSpace(string(text)))
	if err != nil || anchors == nil {
		return nil, fmt.Errorf("%s.head does not hold SEQ:HASH", file)
	}

	anchors[0].Kind = "noted_head"
	return anchors, nil
}

// checkpointAnchor opens a checkpoint with nothing but the key that signed it.
func checkpointAnchor(file, vkey string) (audit.Anchor, error) {
	if file == "" || vkey == "" {
		return audit.Anchor{}, errors.New("--checkpoint and --vkey belong together")
	}
	key, err := verifierKey(vkey)
	if err != nil {
		return audit.Anchor{}, err
	}

	held, err := readKept(file)
	if err != nil {
		return audit.Anchor{}, err
	}

	c, err := held.open(key)
	return audit.Anchor{
		Kind: "checkpoint",
		Size: c.Size,
		Root: c.Root,
	}, err
}

func printReport(t terminal, file string, r audit.Report) error {
	verdict := "valid"
	if !r.Valid {
		verdict = "BROKEN"
	}

	fmt.Fprintf(t.out, "%s: %s, %d entries re-hashed of %d, chain %q\n",
		file, verdict, r.Rehashed.Entries, r.Entries, r.Chain)
	if r.BrokenAt != nil {
		fmt.Fprintf(t.out, "broken at entry %d: %s\n", *r.BrokenAt, r.Reason)
	}
	if r.Head != nil {
		fmt.Fprintf(t.out, "head %d:%s\n", r.Head.Seq, r.Head.Hash)
	}

	for _, w := range r.Warnings {
		fmt.Fprintf(t.out, "warning: %s at entry %d, count %d\n", w.Kind, w.Seq, w.Count)
	}

	for _, claim := range r.Claims {
		fmt.Fprintf(t.out, "  %-13s %s: %s\n", claim.Verdict, claim.ID, claim.Why)
	}

	if isURL(file) {
		return nil // it was read once, and is not kept
	}
	return printSettlements(t.out, file, r.LastGoodSeq)
}

// shownSettlements is how many of the latest payments a verification names.
const shownSettlements = 5

// settlementEntry is the part of an entry that the command line reads.
type settlementEntry struct {
	Actor, Event, Time string
	Payload            settlement
}

type settlement struct {
	Product, Transaction, Nonce string
	Network, Asset              string
	PayTo                       string `json:"pay_to"`
	Amount                      int64
	RequestDigest               string `json:"request_digest"`
	ResultDigest                string `json:"result_digest"`
}

// eachSettlement calls visit for the settlements among the first entries.
func eachSettlement(file string, last uint64, visit func(seq uint64, s settlementEntry)) error {
	return eachLine(file, last, x402.EventSettled, func(seq uint64, line []byte) {
		var entry settlementEntry
		if err := json.Unmarshal(line, &entry); err == nil && entry.Event == x402.EventSettled {
			visit(seq, entry)
		}
	})
}

// eachLine calls visit for those of the first entries whose lines contain a word.
func eachLine(file string, last uint64, word string, visit func(seq uint64, line []byte)) error {
	chain, err := os.Open(file)
	if err != nil {
		return err
	}
	defer chain.Close()

	scanner := bufio.NewScanner(chain)
	scanner.Buffer(nil, audit.MaxLine+1)
	for seq := uint64(1); seq <= last && scanner.Scan(); seq++ {
		if strings.Contains(scanner.Text(), word) {
			visit(seq, scanner.Bytes())
		}
	}
	return scanner.Err()
}

func settlementAt(file string, seq uint64) (found settlementEntry, err error) {
	err = eachSettlement(file, seq, func(at uint64, s settlementEntry) {
		if at == seq {
			found = s
		}
	})
	return found, err
}

// printSettlements prints the latest payments among the valid entries.
func printSettlements(w io.Writer, file string, lastGood uint64) error {
	var lines []string
	err := eachSettlement(file, lastGood, func(seq uint64, s settlementEntry) {
		lines = append(lines, fmt.Sprintf("  settlement %d: %s for %s USD by %s in %s", seq,
			s.Payload.Product, catalog.Units(s.Payload.Amount).Dollars(), s.Actor, s.Payload.Transaction))
	})

	if hidden := len(lines) - shownSettlements; hidden > 0 {
		fmt.Fprintf(w, "  %d earlier settlements\n", hidden)
		lines = lines[hidden:]
	}

	for _, line := range lines {
		fmt.Fprintln(w, line)
	}
	return err
}

func receiptCommand(t terminal) *cobra.Command {
	var signer, chain string
	var f *form
	c := command("receipt FILE", "Verify a receipt that pay kept",
		examples(
			"governance verify receipt .data/receipts/5f25.json", "signatures and digests",
			"governance verify receipt 5f25.json --chain trail.jsonl --signer 0x70…", "and its entry, and who signed",
		),
		func(ctx context.Context, files []string) error { return verifyReceipt(ctx, t, signer, chain, files, f) })
	c.Flags().StringVar(&signer, "signer", "", "`address` that must have signed, as published in /.well-known/x402")
	c.Flags().StringVar(&chain, "chain", "", "audit chain `file` that must hold the receipt's entry")
	f = addForm(c)
	return c
}

func verifyReceipt(ctx context.Context, t terminal, signer, chain string, files []string, f *form) error {
	if len(files) != 1 {
		return usage("verify receipt needs the file that pay wrote")
	}
	if isURL(chain) {
		return usage("--chain takes a file; get one with export %s", chain)
	}

	r, err := readReceiptFile(files[0])
	if err != nil {
		return exit{3, err}
	}
	if err := r.check(signer); err != nil {
		return f.refuted(t, files[0], err)
	}

	if chain != "" {
		if err := r.inChain(ctx, chain); err != nil {
			return f.refuted(t, files[0], err)
		}
	}

	if f.isJSON() {
		facts := map[string]any{
			"evidence":       r.evidence(),
			"payer":          r.Response.Payer,
			"amount":         r.Response.Amount,
			"network":        r.Response.Network,
			"signed_by":      r.signer(),
			"signer_checked": signer != "",
			"chain_checked":  chain != "",
		}
		return printJSON(t, verdict{File: files[0], Valid: true, Facts: facts})
	}

	e := r.evidence()
	fmt.Fprintf(t.out, "%s: valid\n  %s for %s USD by %s\n  transaction %s on %s\n  request %s\n  result  %s (rules %s)\n  entry %d of chain %q, hash %s\n  signed by %s\n",
		files[0], e.Product, r.dollars(), r.Response.Payer, e.Transaction, r.Response.Network, e.RequestDigest, e.ResultDigest, e.Ruleset, e.Seq, e.Chain, e.EntryHash, r.signer())
	if signer == "" {
		fmt.Fprintln(t.out, uncheckedSigner)
	}

	return nil
}

const uncheckedSigner = "  not checked: that this signer is the service's; compare it with /.well-known/x402 or pass --signer"

// inChain looks the receipt's entry up in a chain file and verifies the file.
func (r receiptFile) inChain(ctx context.Context, file string) error {
	e := r.evidence()
	anchors, err := parseAnchor(fmt.Sprintf("%d:%s", e.Seq, strings.TrimPrefix(e.EntryHash, "0x")))
	if err != nil {
		return err
	}

	report, err := verifySource(ctx, file, anchors)
	if err != nil {
		return err
	}

	if !report.Valid {
		return fmt.Errorf("%s is broken at entry %d (%s) or does not hold entry %d",
			file, *report.BrokenAt, report.Reason, e.Seq)
	}

	s, err := settlementAt(file, e.Seq)
	if err != nil {
		return err
	}

	want := settlement{
		Product:       e.Product,
		Transaction:   r.Response.Transaction,
		Nonce:         e.PaymentNonce,
		RequestDigest: e.RequestDigest,
		ResultDigest:  e.ResultDigest,
	}
	want.Amount, _ = strconv.ParseInt(r.Response.Amount, 10, 64)                               // check has parsed it
	want.Network, want.Asset, want.PayTo = s.Payload.Network, s.Payload.Asset, s.Payload.PayTo // of which a receipt says nothing
	if s.Event != x402.EventSettled ||
		!strings.EqualFold(s.Actor, r.Response.Payer) ||
		s.Payload != want {
		return fmt.Errorf("entry %d of %s does not record this payment", e.Seq, file)
	}

	return nil
}
