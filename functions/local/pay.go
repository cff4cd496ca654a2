package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"governance.internal/shared/catalog"
	"governance.internal/shared/x402"
	"governance.internal/shared/x402/evm"
)

// purchase is a parsed pay command.
type purchase struct {
	order
	base     string // URL of the service
	bodyFile string
	data     string
	yes      bool
	key      *evm.Key
	keyFile  string
}

func payCommand(t terminal) *cobra.Command {
	var p purchase
	c := command("pay METHOD PATH", "Buy one request and keep the receipt",
		examples(
			"governance pay GET /x402/verify-audit", "verify the audit trail",
			"governance pay POST /x402/audit-mcp -d mcp.json -y", "lint a configuration, without a question",
			"governance pay GET https://shop.example/x402/tip --key payer.key", "pay another service with a wallet",
		),
		func(ctx context.Context, args []string) error {
			if err := p.complete(t, args); err != nil {
				return err
			}
			return p.pay(ctx, t)
		})
	set := c.Flags()
	set.StringVar(&p.base, "base", defaultBase(), "base `URL` of the service")
	set.StringVarP(&p.bodyFile, "body", "d", "", "`file` with the request body; - reads standard input")
	set.StringVar(&p.data, "data", defaultData, "`directory` in which receipts are kept")
	set.StringVar(
		&p.keyFile,
		"key",
		"",
		"`file` with the payer's private key; default: the play-money payer of the development chain",
	)
	set.BoolVarP(&p.yes, "yes", "y", false, "pay without asking")
	return c
}

// pay buys one request: it shows the price, asks, pays, prints the answer and
// keeps the receipt.
func (p purchase) pay(ctx context.Context, t terminal) error {
	b := &buyer{
		key:    p.key,
		client: &http.Client{Timeout: time.Minute},
		waited: func(reason string, pause time.Duration) {
			fmt.Fprintf(t.err, "  %s; the same payment goes out again in %s\n", reason, pause)
		},
	}
	required, a, err := b.quote(ctx, p.order)
	switch {
	case err != nil:
		return fmt.Errorf("no answer from %s: %w (is the service running? start it with: make run)",
			p.url, err)
	case required == nil:
		_, err := t.out.Write(a.body)
		if a.status >= http.StatusBadRequest {
			return exit{1, fmt.Errorf("the service answered %d", a.status)}
		}
		fmt.Fprintln(t.err, "free of charge; nothing was paid")
		return err
	}

	if err := b.refusePlay(required); err != nil {
		return exit{1, err}
	}
	if err := p.consent(t, required); err != nil {
		return err
	}

	payment, err := b.sign(required, time.Now())
	if err != nil {
		return err
	}

	a, err = b.redeem(ctx, p.order, payment)
	if err != nil {
		return err
	}

	return p.conclude(t, a)
}

// complete fills a purchase from the method and the path, and reads the body and the key.
func (p *purchase) complete(t terminal, args []string) error {
	if len(args) != 2 {
		return usage("pay needs a method and a path, for example: pay GET /x402/verify-audit")
	}

	p.method, p.url = strings.ToUpper(args[0]), args[1]
	if strings.HasPrefix(p.url, "/") {
		p.url = strings.TrimRight(p.base, "/") + p.url
	}

	u, err := url.Parse(p.url)
	if err != nil || u.Host == "" {
		return usage("%q is neither a path that begins with / nor an address", args[1])
	}

	if p.body, err = readInput(t, p.bodyFile); err != nil {
		return exit{2, err}
	}
	if p.key, err = payerKey(p.keyFile, u.Hostname()); err != nil {
		return exit{2, err}
	}
	return nil
}

func readInput(t terminal, file string) ([]byte, error) {
	switch file {
	case "":
		return nil, nil
	case "-":
		return io.ReadAll(t.in)
	}
	return os.ReadFile(file)
}

// payerKey never uses the public development key for a service on another machine.
func payerKey(file, host string) (*evm.Key, error) {
	if file != "" {
		return evm.LoadKey(file)
	}
	if !isLoopback(host) {
		return nil, errors.New("the development payer pays on this machine only; name a wallet key with --key FILE")
	}
	return devPayer()
}

// consent shows the price. It asks a person at a terminal; a script must pass -y, except
// for play money.
func (p purchase) consent(t terminal, required *x402.Required) error {
	offer := required.Accepts[0]
	amount, err := amountOf(offer)
	if err != nil {
		return exit{1, err}
	}
	if required.ErrorMessage != "" {
		fmt.Fprintf(t.err, "the service says: %s\n", printable(required.ErrorMessage))
	}

	name, _ := offer.Extra["name"].(string)
	fmt.Fprintf(t.err, "%s %s\n  %s\n  price %s USD (%s units of %s on %s) to %s\n  payer %s\n", p.method, printable(required.Resource.URL),
		printable(required.Resource.Description), catalog.Units(amount).Dollars(), offer.Amount, printable(name), printable(offer.Network), printable(offer.PayTo), p.key.Address())

	if !strings.EqualFold(offer.Asset, knownAsset) || offer.Network != knownNetwork {
		fmt.Fprintf(t.err, "  NOTE: the asset %s on %s is not the dollar token that this client knows\n",
			printable(offer.Asset), printable(offer.Network))
	}

	if isPlay(required) {
		fmt.Fprintf(t.err, "  development chain, play money\n")
	}

	switch {
	case p.yes:
		return nil
	case !t.person && p.keyFile == "":
		return nil
	case !t.person:
		return usage("standard input is not a terminal, so the price cannot be confirmed; -y pays without asking")
	}

	fmt.Fprint(t.err, "pay? [y/N] ")
	line, err := bufio.NewReader(t.in).ReadString('\n')
	if answer := strings.ToLower(strings.TrimSpace(line)); err != nil ||
		answer != "y" && answer != "yes" {
		return exit{1, errors.New("not paid")}
	}

	return nil
}

// conclude prints the answer and keeps the receipt.
func (p purchase) conclude(t terminal, a answer) error {
	if _, err := t.out.Write(a.body); err != nil {
		return err
	}
	if a.status != http.StatusOK {
		return exit{1, fmt.Errorf("the service answered %d", a.status)}
	}

	receipt, err := newReceiptFile(p.order, a)
	if err == nil {
		err = receipt.check("")
	}
	if err != nil {
		return exit{1, fmt.Errorf("the service answered, but the receipt is not valid: %w", err)}
	}

	path := filepath.Join(p.data, "receipts", receipt.name()+".json")
	if err := receipt.write(path); err != nil {
		return err
	}

	fmt.Fprintf(t.err, "paid %s USD in transaction %s\n", receipt.dollars(), receipt.Response.Transaction)
	fmt.Fprintf(t.err, "recorded as entry %d of the audit chain %q\n",
		receipt.evidence().Seq, receipt.evidence().Chain)
	fmt.Fprintf(t.err, "receipt %s\n  check it: %s verify receipt %s\n", path, program(), path)
	return nil
}

// The token that this client knows: USD Coin on Base, which the development
// chain has at the same place.
const (
	knownNetwork = "eip155:8453"
	knownAsset   = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
)

// printable replaces control characters, so that foreign text cannot control the terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
}
