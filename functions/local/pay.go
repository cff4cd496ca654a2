package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"governance.internal/shared/catalog"
	"governance.internal/shared/x402"
	"governance.internal/shared/x402/evm"
)

// purchase is a parsed pay command.
type purchase struct {
	order
	data    string
	yes     bool
	key     *evm.Key
	keyFile string
}

// pay buys one request: it shows the price, asks, pays, prints the answer and
// keeps the receipt.
func pay(ctx context.Context, t terminal, args []string) error {
	p, err := parsePurchase(t, args)
	if err != nil {
		return err
	}
	b := &buyer{key: p.key, client: &http.Client{Timeout: time.Minute}, waited: func(reason string, pause time.Duration) {
		fmt.Fprintf(t.err, "  %s; the same payment goes out again in %s\n", reason, pause)
	}}
	required, a, err := b.quote(ctx, p.order)
	switch {
	case err != nil:
		return fmt.Errorf("no answer from %s: %w (is the service running? start it with: make run)", p.url, err)
	case required == nil:
		_, err := t.out.Write(a.body)
		if a.status >= http.StatusBadRequest {
			return exit{1, fmt.Errorf("the service answered %d", a.status)}
		}
		fmt.Fprintln(t.err, "free of charge; nothing was paid")
		return err
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
	return p.conclude(t, a, required)
}

func parsePurchase(t terminal, args []string) (purchase, error) {
	var p purchase
	var base, file string
	set := flags(t, "pay", "pay METHOD PATH [-d FILE] [-base URL] [-y]")
	set.StringVar(&base, "base", "http://localhost:8402", "base `URL` of the service")
	set.StringVar(&file, "d", "", "`file` with the request body; - reads standard input")
	set.StringVar(&p.data, "data", ".data", "`directory` in which receipts are kept")
	set.StringVar(&p.keyFile, "key", "", "`file` with the payer's private key; default: the play-money payer of the development chain")
	set.BoolVar(&p.yes, "y", false, "pay without asking")
	rest, err := parse(set, args)
	if err != nil {
		return p, err
	}
	if len(rest) != 2 {
		return p, usage("pay needs a method and a path, for example: pay GET /x402/verify-audit")
	}
	p.method, p.url = strings.ToUpper(rest[0]), rest[1]
	if strings.HasPrefix(p.url, "/") {
		p.url = strings.TrimRight(base, "/") + p.url
	}
	u, err := url.Parse(p.url)
	if err != nil || u.Host == "" {
		return p, usage("%q is neither a path that begins with / nor an address", rest[1])
	}
	if p.body, err = readInput(t, file); err != nil {
		return p, exit{2, err}
	}
	if p.key, err = payerKey(p.keyFile, u.Hostname()); err != nil {
		return p, exit{2, err}
	}
	return p, nil
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

// payerKey never signs with the public development key for a stranger's service.
func payerKey(file, host string) (*evm.Key, error) {
	if file != "" {
		return evm.LoadKey(file)
	}
	if !isLoopback(host) {
		return nil, errors.New("the development payer pays on this machine only; name a key with -key FILE")
	}
	return devPayer()
}

// consent shows what is about to be paid. A person at a terminal is asked; a
// script must say -y, except for play money.
func (p purchase) consent(t terminal, required *x402.Required) error {
	offer := required.Accepts[0]
	amount, ok := new(big.Int).SetString(offer.Amount, 10)
	if !ok || !amount.IsInt64() {
		return exit{1, fmt.Errorf("the service asks for %q, which is no amount", offer.Amount)}
	}
	fmt.Fprintf(t.err, "%s %s\n  %s\n  price %s USD (%s units of %s on %s) to %s\n  payer %s\n", p.method, required.Resource.URL,
		required.Resource.Description, catalog.Units(amount.Int64()).Dollars(), offer.Amount, offer.Extra["name"], offer.Network, offer.PayTo, p.key.Address())
	switch {
	case p.yes:
		return nil
	case !t.person && p.keyFile == "":
		return nil
	case !t.person:
		return usage("nobody is here to ask; say -y to pay")
	}
	fmt.Fprint(t.err, "pay? [y/N] ")
	line, err := bufio.NewReader(t.in).ReadString('\n')
	if answer := strings.ToLower(strings.TrimSpace(line)); err != nil || answer != "y" && answer != "yes" {
		return exit{1, errors.New("not paid")}
	}
	return nil
}

// conclude prints the answer and keeps the receipt.
func (p purchase) conclude(t terminal, a answer, required *x402.Required) error {
	if _, err := t.out.Write(a.body); err != nil {
		return err
	}
	if a.status != http.StatusOK {
		return exit{1, fmt.Errorf("the service answered %d", a.status)}
	}
	receipt, err := newReceiptFile(p.order, a)
	if err != nil {
		return exit{1, fmt.Errorf("paid, but the receipt is unusable: %w", err)}
	}
	path := filepath.Join(p.data, "receipts", strings.TrimPrefix(receipt.evidence().PaymentNonce, "0x")+".json")
	if err := receipt.write(path); err != nil {
		return err
	}
	fmt.Fprintf(t.err, "paid %s USD in transaction %s\n", receipt.dollars(), receipt.Response.Transaction)
	fmt.Fprintf(t.err, "recorded as entry %d of the audit chain %q\n", receipt.evidence().Seq, receipt.evidence().Chain)
	fmt.Fprintf(t.err, "receipt %s\n  check it: go run ./functions/local verify receipt %s\n", path, path)
	return receipt.check("")
}
