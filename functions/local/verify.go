package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"governance.internal/shared/audit"
	auditfile "governance.internal/shared/audit/file"
	"governance.internal/shared/catalog"
	"governance.internal/shared/wiring"
	"governance.internal/shared/x402"
)

// verify checks a chain or a receipt without any service.
func verify(ctx context.Context, t terminal, args []string) error {
	what := ""
	if len(args) > 0 {
		what, args = args[0], args[1:]
	}
	switch what {
	case "chain":
		return verifyChain(ctx, t, args)
	case "receipt":
		return verifyReceipt(t, args)
	case "thanks":
		return verifyThanks(t, args)
	}
	return usage("verify what? There are: verify chain [FILE], verify receipt FILE, verify thanks FILE")
}

func verifyChain(_ context.Context, t terminal, args []string) error {
	set := flags(t, "verify chain", "verify chain [FILE] [-expect-head [SEQ:]HASH] [-json]")
	expect := set.String("expect-head", "", "`head` noted earlier, as SEQ:HASH, HASH or SEQ; without one a cut tail cannot be seen")
	asJSON := set.Bool("json", false, "print the whole report")
	files, err := parse(set, args)
	if err != nil {
		return err
	}
	file := filepath.Join(".data", wiring.ChainName+".jsonl")
	if len(files) > 1 {
		return usage("verify chain takes one file")
	} else if len(files) == 1 {
		file = files[0]
	}
	anchors, err := parseAnchor(*expect)
	if err != nil {
		return exit{2, err}
	}
	report, err := verifyChainFile(file, anchors)
	if err != nil {
		return exit{3, err}
	}
	if *asJSON {
		encoder := json.NewEncoder(t.out)
		encoder.SetIndent("", "  ")
		err = encoder.Encode(report)
	} else {
		err = printReport(t, file, report)
	}
	if err == nil && !report.Valid {
		return exit{1, nil}
	}
	return err
}

func verifyChainFile(file string, anchors []audit.Anchor) (audit.Report, error) {
	chain, err := auditfile.OpenReader(file)
	if err != nil {
		return audit.Report{}, err
	}
	defer chain.Close()
	return audit.VerifyReader(chain, audit.VerifyOptions{Anchors: anchors, Strict: true, Parallelism: runtime.NumCPU()})
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
			return nil, errors.New("-expect-head is SEQ:HASH, HASH or SEQ")
		}
	}
	if hashText != "" {
		if hash, err = audit.ParseHash(hashText); err != nil {
			return nil, fmt.Errorf("-expect-head: %w", err)
		}
	}
	return []audit.Anchor{audit.ExpectHead(seq, hash)}, nil
}

func printReport(t terminal, file string, r audit.Report) error {
	verdict := "valid"
	if !r.Valid {
		verdict = "BROKEN"
	}
	fmt.Fprintf(t.out, "%s: %s, %d entries re-hashed of %d, chain %q\n", file, verdict, r.Rehashed.Entries, r.Entries, r.Chain)
	if r.BrokenAt != nil {
		fmt.Fprintf(t.out, "broken at entry %d: %s\n", *r.BrokenAt, r.Reason)
	}
	if r.Head != nil {
		fmt.Fprintf(t.out, "head %d:%s\n", r.Head.Seq, r.Head.Hash)
	}
	for _, claim := range r.Claims {
		fmt.Fprintf(t.out, "  %-13s %s: %s\n", claim.Verdict, claim.ID, claim.Why)
	}
	return printSettlements(t.out, file, r.LastGoodSeq)
}

// shownSettlements is how many of the latest payments a verification names.
const shownSettlements = 5

// printSettlements names the latest payments among the entries that are good.
func printSettlements(w io.Writer, file string, lastGood uint64) error {
	chain, err := os.Open(file)
	if err != nil {
		return err
	}
	defer chain.Close()
	var lines []string
	scanner := bufio.NewScanner(chain)
	scanner.Buffer(nil, audit.MaxLine+1)
	for seq := uint64(1); seq <= lastGood && scanner.Scan(); seq++ {
		if !strings.Contains(scanner.Text(), x402.EventSettled) {
			continue
		}
		var entry struct {
			Actor, Event string
			Payload      struct {
				Product, Transaction string
				Amount               int64
			}
		}
		if err := json.Unmarshal(scanner.Bytes(), &entry); err != nil || entry.Event != x402.EventSettled {
			continue
		}
		lines = append(lines, fmt.Sprintf("  settlement %d: %s for %s USD by %s in %s", seq,
			entry.Payload.Product, catalog.Units(entry.Payload.Amount).Dollars(), entry.Actor, entry.Payload.Transaction))
	}
	if hidden := len(lines) - shownSettlements; hidden > 0 {
		fmt.Fprintf(w, "  %d earlier settlements\n", hidden)
		lines = lines[hidden:]
	}
	for _, line := range lines {
		fmt.Fprintln(w, line)
	}
	return scanner.Err()
}

func verifyReceipt(t terminal, args []string) error {
	set := flags(t, "verify receipt", "verify receipt FILE [-signer ADDRESS] [-chain FILE]")
	signer := set.String("signer", "", "`address` that must have signed, as published in /.well-known/x402")
	chain := set.String("chain", "", "audit chain `file` that must hold the receipt's entry")
	files, err := parse(set, args)
	if err != nil {
		return err
	}
	if len(files) != 1 {
		return usage("verify receipt needs the file that pay wrote")
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		return exit{3, err}
	}
	var r receiptFile
	if err := json.Unmarshal(data, &r); err != nil {
		return exit{3, fmt.Errorf("%s is no receipt file: %w", files[0], err)}
	}
	if err := r.check(*signer); err != nil {
		fmt.Fprintf(t.out, "%s: INVALID: %v\n", files[0], err)
		return exit{1, nil}
	}
	if *chain != "" {
		if err := r.inChain(*chain); err != nil {
			fmt.Fprintf(t.out, "%s: INVALID: %v\n", files[0], err)
			return exit{1, nil}
		}
	}
	e := r.evidence()
	fmt.Fprintf(t.out, "%s: valid\n  %s for %s USD by %s\n  transaction %s on %s\n  request %s\n  result  %s (rules %s)\n  entry %d of chain %q, hash %s\n  signed by %s\n",
		files[0], e.Product, r.dollars(), r.Response.Payer, e.Transaction, r.Response.Network, e.RequestDigest, e.ResultDigest, e.Ruleset, e.Seq, e.Chain, e.EntryHash, r.signer())
	if *signer == "" {
		fmt.Fprintln(t.out, uncheckedSigner)
	}
	return nil
}

const uncheckedSigner = "  not checked: that this signer is the service's; compare it with /.well-known/x402 or pass -signer"

// inChain looks the receipt's entry up in a chain file and verifies the file.
func (r receiptFile) inChain(file string) error {
	e := r.evidence()
	anchors, err := parseAnchor(fmt.Sprintf("%d:%s", e.Seq, strings.TrimPrefix(e.EntryHash, "0x")))
	if err != nil {
		return err
	}
	report, err := verifyChainFile(file, anchors)
	if err != nil {
		return err
	}
	if !report.Valid {
		return fmt.Errorf("%s is broken at entry %d (%s) or does not hold entry %d", file, *report.BrokenAt, report.Reason, e.Seq)
	}
	return nil
}
