package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"governance.internal/functions/local/devchain"
	auditfile "governance.internal/shared/audit/file"
	"governance.internal/shared/catalog"
	"governance.internal/shared/config"
	"governance.internal/shared/wiring"
	"governance.internal/shared/x402/evm"
)

// States of a line of the ledger.
const (
	statusSettled   = "settled"          // in the audit trail and on the chain
	statusNoMoney   = "missing_on_chain" // in the audit trail only: an alarm
	statusNoEntry   = "not_in_trail"     // on the chain only: an alarm
	ledgerBlocks    = 50_000             // that are searched by default, about a day of Base
	shownLedgerRows = 20
)

// ledgerLine is one payment to the seller, as it is exported.
type ledgerLine struct {
	Status      string `json:"status"`
	Time        string `json:"time,omitempty"` // of the entry
	Seq         uint64 `json:"seq,omitempty"`  // of the entry
	Product     string `json:"product,omitempty"`
	Payer       string `json:"payer"`
	PayTo       string `json:"pay_to"`
	Amount      int64  `json:"amount"` // atomic units
	Network     string `json:"network"`
	Asset       string `json:"asset"`
	Nonce       string `json:"nonce,omitempty"`
	Transaction string `json:"transaction"`
	Block       uint64 `json:"block,omitempty"`
	LogIndex    uint   `json:"log_index"`
}

// ledgerOptions are the flags of ledger.
type ledgerOptions struct {
	data  string
	jsonl string // file for the lines
	from  int64  // block, -1 for the default
	form  *form
}

func ledgerCommand(t terminal) *cobra.Command {
	o := ledgerOptions{}
	c := command("ledger", "List all payments, compared with the chain",
		examples(
			"governance ledger", "the last payments and the sums",
			"governance ledger --format json", "every payment, for a program",
			"governance ledger --jsonl payments.jsonl", "the sums, and every payment into a file",
		),
		func(ctx context.Context, args []string) error {
			if err := noArguments("ledger", args); err != nil {
				return err
			}
			return o.run(ctx, t)
		})
	set := c.Flags()
	set.StringVar(&o.data, "data", defaultData, "`directory` of the audit chain")
	set.StringVar(
		&o.jsonl,
		"jsonl",
		"",
		"`file` for all payments, one JSON object a line; - is the standard output, without the table",
	)
	set.Int64Var(
		&o.from,
		"from",
		-1,
		"first `block` to search for transfers without an entry; default: the last 50,000 blocks",
	)
	o.form = addForm(c)
	return c
}

// run compares the settlements of the audit trail with the token's Transfer events. A
// difference is an alarm: exit status 1.
func (o ledgerOptions) run(ctx context.Context, t terminal) error {
	file := auditfile.Path(o.data, wiring.ChainName)
	entries, err := settledEntries(ctx, file)
	if err != nil {
		return exit{3, err}
	}

	chain, c, closeChain, err := ledgerChain(ctx, o.data)
	if err != nil {
		return err
	}
	defer closeChain()

	b := books{config: c, chain: chain, payTo: c.PayTo}
	if err := b.reconcile(ctx, entries, o.from); err != nil {
		return err
	}

	return b.report(t, o)
}

// settledEntries are the settlements of a verified chain file.
func settledEntries(ctx context.Context, file string) ([]ledgerLine, error) {
	report, err := verifySource(ctx, file, nil)
	if err != nil {
		return nil, err
	}

	if !report.Valid {
		return nil, fmt.Errorf("%s is broken at entry %d (%s): its settlements prove nothing",
			file, *report.BrokenAt, report.Reason)
	}

	var lines []ledgerLine
	err = eachSettlement(file, report.LastGoodSeq, func(seq uint64, s settlementEntry) {
		p := s.Payload
		lines = append(lines, ledgerLine{
			Status:      statusNoMoney,
			Time:        s.Time,
			Seq:         seq,
			Product:     p.Product,
			Payer:       s.Actor,
			PayTo:       p.PayTo,
			Amount:      p.Amount,
			Network:     p.Network,
			Asset:       p.Asset,
			Nonce:       p.Nonce,
			Transaction: p.Transaction,
		})
	})
	return lines, err
}

// ledgerChain reaches the chain that the payments of a data directory are on:
// RPC_URLS, the development chain of a running service, or the one of the
// directory.
func ledgerChain(ctx context.Context, data string) (*evm.Chain, config.Config, func() error, error) {
	closeChain := func() error { return nil }
	c, err := config.Load(os.LookupEnv)
	if err != nil {
		return nil, c, nil, err
	}

	if len(c.RPCURLs) == 0 {
		if url := runningDevchain(data); url != "" {
			c.RPCURLs = []string{url}
		} else {
			own, err := devchain.Start(ctx, devchain.Options{
				Dir:     filepath.Join(data, "devchain"),
				RPCAddr: "127.0.0.1:0",
			})
			if err != nil {
				return nil, c, nil, err
			}
			c.RPCURLs, closeChain = []string{own.URL()}, own.Close
		}
	}

	if c, err = payToDefault(c); err == nil && c.PayTo == "" {
		err = usage("set PAY_TO, the address that received the payments")
	}
	if err != nil {
		return nil, c, nil, errors.Join(err, closeChain())
	}

	token, err := evm.NewToken(c.Network, c.Asset, c.AssetName, c.AssetVersion)
	if err != nil {
		return nil, c, nil, errors.Join(err, closeChain())
	}

	chain, err := evm.Dial(token, c.RPCURLs)
	return chain, c, closeChain, err
}

// devchainURLFile names the address of the development chain while it runs.
func devchainURLFile(data string) string { return filepath.Join(data, "devchain.url") }

// runningDevchain is the address of a data directory's development chain if a
// service runs it now.
func runningDevchain(data string) string {
	text, err := os.ReadFile(devchainURLFile(data))
	if err != nil {
		return ""
	}
	address := strings.TrimSpace(string(text))
	connection, err := net.DialTimeout("tcp", strings.TrimPrefix(address, "http://"), time.Second)
	if err != nil {
		return "" // its service was killed
	}

	_ = connection.Close()
	return address
}

// books are the two sides of the ledger.
type books struct {
	config config.Config
	chain  *evm.Chain
	payTo  string
	lines  []ledgerLine
	first  uint64 // block from which on nothing can have been overlooked
}

// reconcile finds the event of each entry, and then the events without entry.
func (b *books) reconcile(ctx context.Context, entries []ledgerLine, from int64) error {
	head, err := b.chain.Head(ctx)
	if err != nil {
		return err
	}

	b.first = uint64(max(from, 0))
	if from < 0 && head > ledgerBlocks {
		b.first = head - ledgerBlocks
	}

	found, err := b.chain.Transfers(ctx, b.payTo, b.first, head)
	if err != nil {
		return err
	}

	events := map[string][]evm.Transfer{}
	for _, transfer := range found {
		events[transfer.Transaction] = append(events[transfer.Transaction], transfer)
	}

	for _, line := range entries {
		if _, known := events[line.Transaction]; !known { // older than the search, or not there
			if events[line.Transaction], err = b.chain.TransfersIn(ctx, line.Transaction, cmp.Or(line.PayTo, b.payTo)); err != nil {
				return err
			}
		}
		b.lines = append(b.lines, matched(line, events))
	}

	for _, hash := range slices.Sorted(maps.Keys(events)) {
		for _, transfer := range events[hash] {
			b.lines = append(b.lines, b.unexplained(transfer))
		}
	}

	return nil
}

// matched takes the event of an entry out of those of its transaction.
func matched(line ledgerLine, events map[string][]evm.Transfer) ledgerLine {
	rest := events[line.Transaction]
	for i, transfer := range rest {
		if strings.EqualFold(transfer.From, line.Payer) &&
			transfer.Amount.IsInt64() &&
			transfer.Amount.Int64() == line.Amount {
			line.Status, line.Block, line.LogIndex = statusSettled, transfer.Block, transfer.LogIndex
			events[line.Transaction] = slices.Delete(slices.Clone(rest), i, i+1)
			break
		}
	}
	return line
}

func (b *books) unexplained(t evm.Transfer) ledgerLine {
	return ledgerLine{
		Status:      statusNoEntry,
		Payer:       strings.ToLower(t.From),
		PayTo:       strings.ToLower(t.To),
		Amount:      t.Amount.Int64(),
		Network:     b.config.Network,
		Asset:       strings.ToLower(b.config.Asset),
		Transaction: t.Transaction,
		Block:       t.Block,
		LogIndex:    t.LogIndex,
	}
}

// report writes the export and the table, and exits with status 1 if the two sides differ.
func (b *books) report(t terminal, o ledgerOptions) error {
	if o.jsonl == "-" {
		if err := b.export(t.out); err != nil {
			return err
		}
		return b.alarm(t)
	}

	if o.jsonl != "" {
		file, err := os.Create(o.jsonl)
		if err != nil {
			return exit{2, err}
		}
		if err := errors.Join(b.export(file), file.Close()); err != nil {
			return err
		}
	}

	if o.form.isJSON() {
		if err := printJSON(t, b.summary()); err != nil {
			return err
		}
	} else {
		b.table(t.out)
	}
	return b.alarm(t)
}

// ledgerReport is the ledger for programs.
type ledgerReport struct {
	Payments  []ledgerLine `json:"payments"`
	PayTo     string       `json:"pay_to"`
	Settled   int64        `json:"settled"`          // sum, in atomic units
	FromBlock uint64       `json:"from_block"`       // from which on transfers were searched
	NoMoney   int          `json:"missing_on_chain"` // entries without a transfer
	NoEntry   int          `json:"not_in_trail"`     // transfers without an entry
}

func (b *books) summary() ledgerReport {
	r := ledgerReport{
		Payments:  append([]ledgerLine{}, b.lines...),
		PayTo:     b.payTo,
		FromBlock: b.first,
	}
	r.NoMoney, r.NoEntry = b.differences()
	for _, line := range b.lines {
		if line.Status == statusSettled {
			r.Settled += line.Amount
		}
	}
	return r
}

func (b *books) export(w io.Writer) error {
	encoder := json.NewEncoder(w)
	for _, line := range b.lines {
		if err := encoder.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

func (b *books) table(w io.Writer) {
	shown := b.lines
	if hidden := len(shown) - shownLedgerRows; hidden > 0 {
		fmt.Fprintf(w, "%d earlier payments; --jsonl exports all\n", hidden)
		shown = shown[hidden:]
	}

	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, line := range shown {
		fmt.Fprintf(columns, "%s\t%s\t%s USD\t%s\t%s\t%s\n",
			line.Time, line.Product, catalog.Units(line.Amount).Dollars(), line.Payer, line.Transaction, line.Status)
	}

	_ = columns.Flush() // fails only if the terminal is closed
	count := map[string]int{}
	total := map[string]catalog.Units{}
	for _, line := range b.lines {
		if line.Status == statusSettled {
			count[line.Product]++
			total[line.Product] += catalog.Units(line.Amount)
			total[""] += catalog.Units(line.Amount)
		}
	}

	for _, product := range slices.Sorted(maps.Keys(count)) {
		fmt.Fprintf(w, "%6d x %-16s %s USD\n", count[product], product, total[product].Dollars())
	}

	fmt.Fprintf(w, "%s USD settled to %s; transfers searched from block %d on\n",
		total[""].Dollars(), b.payTo, b.first)
}

// differences counts entries without a transfer and transfers without an entry.
func (b *books) differences() (noMoney, noEntry int) {
	for _, line := range b.lines {
		switch line.Status {
		case statusNoMoney:
			noMoney++
		case statusNoEntry:
			noEntry++
		}
	}
	return noMoney, noEntry
}

// alarm says what differs.
func (b *books) alarm(t terminal) error {
	noMoney, noEntry := b.differences()
	if noMoney+noEntry == 0 {
		return nil
	}
	fmt.Fprintf(t.err, "ALARM: %d settlements of the audit trail have no transfer on the chain, %d transfers to %s have no settlement in the trail\n",
		noMoney, noEntry, b.payTo)
	return exit{1, nil}
}
