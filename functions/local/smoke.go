package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"governance.internal/shared/catalog"
	"governance.internal/shared/x402"
	"governance.internal/shared/x402/evm"
)

func smokeCommand(t terminal) *cobra.Command {
	var keyFile string
	var f *form
	c := command("smoke URL", "Check a deployment from outside",
		examples(
			"governance smoke https://shop.example", "documents, prices and tools",
			"governance smoke https://shop.example --key payer.key", "and one purchase",
		),
		func(ctx context.Context, args []string) error { return smoke(ctx, t, keyFile, args, f) })
	c.Flags().StringVar(
		&keyFile,
		"key",
		"",
		"`file` with the private key of a wallet that holds some of the token; without one nothing is bought",
	)
	f = addForm(c)
	return c
}

// smoke checks a deployment from outside, as its clients see it. With a key it buys one
// verification, the cheapest product, and checks the result.
func smoke(ctx context.Context, t terminal, keyFile string, rest []string, f *form) error {
	if len(rest) != 1 {
		return usage("smoke needs the address of the service, for example: smoke https://shop.example")
	}

	base := strings.TrimRight(rest[0], "/")
	u, err := url.Parse(base)
	if err != nil ||
		u.Host == "" ||
		u.Scheme != "https" && !isLoopback(u.Hostname()) {
		return usage("%q is not an address that begins with https://", rest[0])
	}

	s := &smokeTest{
		buyer: buyer{
			client: &http.Client{Timeout: time.Minute},
			waited: func(string, time.Duration) {},
		},
		base: base,
	}
	checks := []check{
		{"documents", s.documents}, {"unknown address", s.stranger}, {"prices", s.prices}, {"tool server", s.tools},
	}

	if keyFile != "" {
		if s.buyer.key, err = evm.LoadKey(keyFile); err != nil {
			return exit{2, err}
		}
		checks = append(checks, check{"purchase", s.purchase}, check{"same payment again", s.replay})
	}

	failed, err := runChecks(ctx, t, checks, f)
	if err != nil {
		return err
	}
	if failed > 0 {
		return exit{1, fmt.Errorf("%d of %d checks failed", failed, len(checks))}
	}

	if keyFile == "" {
		fmt.Fprintln(t.err, "nothing was bought; name a wallet with --key FILE")
	}
	return nil
}

type check struct {
	name string
	run  func(context.Context) error
}

// smokeResult is one check in the report for programs.
type smokeResult struct {
	Name  string `json:"name"`
	OK    bool   `json:"ok"`
	Error string `json:"error,omitempty"`
}

// runChecks runs the checks in their order and prints each as it ends, or all as JSON.
func runChecks(ctx context.Context, t terminal, checks []check, f *form) (failed int, err error) {
	results := make([]smokeResult, 0, len(checks))
	for _, c := range checks {
		result := smokeResult{Name: c.name, OK: true}
		verdict := "ok"
		if err := c.run(ctx); err != nil {
			failed++
			result.OK = false
			result.Error = printable(err.Error())
			verdict = "FAILED: " + result.Error
		}

		results = append(results, result)
		if !f.isJSON() {
			fmt.Fprintf(t.out, "%-20s %s\n", c.name, verdict)
		}
	}

	if f.isJSON() {
		err = printJSON(t, map[string]any{"checks": results})
	}
	return failed, err
}

// smokeTest remembers the purchase between its checks.
type smokeTest struct {
	buyer   buyer
	base    string
	payment string
	bought  answer
}

// get is a request without a payment.
func (s *smokeTest) get(ctx context.Context, method, path, body string) (answer, error) {
	r, err := order{method, s.base + path, []byte(body)}.request(ctx)
	if err != nil {
		return answer{}, err
	}
	return s.buyer.send(r)
}

// sampleOf is a body that a row accepts, "" for a row without one.
func sampleOf(e catalog.Endpoint) string {
	if e.Request == "" {
		return ""
	}
	return string(catalog.Example(e.Request))
}

// documents exist and name this address.
func (s *smokeTest) documents(ctx context.Context) error {
	var all error
	for _, row := range catalog.Endpoints {
		if row.Paid() || len(row.PathParams) > 0 {
			continue
		}
		a, err := s.get(ctx, row.Method, row.Path, sampleOf(row))
		if err == nil && a.status != http.StatusOK {
			err = fmt.Errorf("%s answers %d", row.Path, a.status)
		}

		if err == nil &&
			row.Function == "x402-manifest" &&
			!bytes.Contains(a.body, []byte(s.base+"/x402/")) {
			err = fmt.Errorf("%s does not name %s", row.Path, s.base)
		}

		all = errors.Join(all, err)
	}

	return all
}

// stranger asks for an unknown address; the answer must be ours, not the gateway's.
func (s *smokeTest) stranger(ctx context.Context) error {
	a, err := s.get(ctx, http.MethodGet, "/x402/nothing-here", "")
	if err == nil &&
		(a.status != http.StatusNotFound || a.header.Get("Content-Type") != "application/problem+json") {
		err = fmt.Errorf("%d %s", a.status, a.header.Get("Content-Type"))
	}
	return err
}

// prices checks that the prices are those of the catalogue, name this address and are not
// cacheable.
func (s *smokeTest) prices(ctx context.Context) error {
	var all error
	for _, row := range catalog.Endpoints {
		if !row.Paid() {
			continue
		}
		required, a, err := s.buyer.quote(ctx, order{row.Method, s.base + row.Path, nil})
		switch {
		case err != nil:
		case required == nil:
			err = fmt.Errorf("unpaid it answers %d", a.status)
		case required.Accepts[0].Amount != row.Price.String():
			err = fmt.Errorf("it costs %s instead of %s", required.Accepts[0].Amount, row.Price)
		case a.header.Get("Cache-Control") != "no-store":
			err = fmt.Errorf("the price may be cached: Cache-Control %q", a.header.Get("Cache-Control"))
		case !strings.HasPrefix(required.Resource.URL, s.base+row.Path):
			err = fmt.Errorf("it sells %s", required.Resource.URL)
		}

		if err != nil {
			all = errors.Join(all, fmt.Errorf("%s: %w", row.Path, err))
		}
	}

	return all
}

// tools are healthy, and off this machine they need a token.
func (s *smokeTest) tools(ctx context.Context) error {
	a, err := s.get(ctx, http.MethodGet, "/health", "")
	if err == nil && a.status != http.StatusOK {
		err = fmt.Errorf("/health answers %d", a.status)
	}

	u, parseErr := url.Parse(s.base)
	if err = errors.Join(err, parseErr); err != nil || isLoopback(u.Hostname()) {
		return err
	}

	a, err = s.get(ctx, http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if err == nil && a.status != http.StatusUnauthorized {
		err = fmt.Errorf("/mcp answers %d without a token", a.status)
	}
	return err
}

func (s *smokeTest) verification() order {
	return order{http.MethodGet, s.base + "/x402/verify-audit", nil}
}

// purchase pays, and verifies the receipt and the verdict.
func (s *smokeTest) purchase(ctx context.Context) error {
	required, a, err := s.buyer.quote(ctx, s.verification())
	if err != nil {
		return err
	}
	if required == nil {
		return fmt.Errorf("no price but %d", a.status)
	}
	if s.payment, err = s.buyer.sign(required, time.Now()); err != nil {
		return err
	}

	if s.bought, err = s.buyer.redeem(ctx, s.verification(), s.payment); err != nil {
		return err
	}
	if s.bought.status != http.StatusOK {
		return fmt.Errorf("paid, it answers %d: %s", s.bought.status, s.bought.body)
	}

	receipt, err := newReceiptFile(s.verification(), s.bought)
	if err != nil {
		return err
	}
	if err := receipt.check(""); err != nil {
		return err
	}

	var verdict struct{ Valid bool }
	if err := json.Unmarshal(s.bought.body, &verdict); err != nil || !verdict.Valid {
		return fmt.Errorf("the audit trail is not valid: %s", s.bought.body)
	}

	return nil
}

// replay must get the same bytes and charge nothing.
func (s *smokeTest) replay(ctx context.Context) error {
	if s.bought.status != http.StatusOK {
		return errors.New("nothing was bought")
	}
	a, err := s.buyer.redeem(ctx, s.verification(), s.payment)
	if err == nil &&
		(a.status != http.StatusOK || !bytes.Equal(a.body, s.bought.body) ||
			a.header.Get(x402.HeaderResponse) != s.bought.header.Get(x402.HeaderResponse)) {
		err = fmt.Errorf("it answers %d, or another answer than the one bought", a.status)
	}
	return err
}
