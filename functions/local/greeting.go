package main

import (
	"fmt"
	"text/tabwriter"

	auditfile "governance.internal/shared/audit/file"
	"governance.internal/shared/catalog"
	"governance.internal/shared/wiring"
)

// greet prints where the service is, what it sells and what to try.
func (s *service) greet(t terminal, o options) {
	fmt.Fprintf(t.out, "%s on %s  (Ctrl-C stops it)\n\n", catalog.ServiceName, s.config.BaseURL)
	table := tabwriter.NewWriter(t.out, 0, 4, 2, ' ', 0)
	for _, e := range catalog.Endpoints {
		fmt.Fprintf(table, "  %s\t%s\t%s\n", e.Method, e.Path, e.PriceText())
	}
	_ = table.Flush() // a terminal that is gone needs no greeting
	fmt.Fprintf(t.out, "\nAudit chain  %s/%s.jsonl, keys and payments beside it\n", o.data, wiring.ChainName)
	if s.devchain != nil {
		payer, err := devPayer()
		if err == nil {
			fmt.Fprintf(t.out, "Chain        development chain %s, JSON-RPC %s\n", s.config.Network, s.devchain.URL())
			fmt.Fprintf(t.out, "Payer        %s with play money, used by `pay`\n", payer.Address())
		}
	}
	fmt.Fprintf(t.out, "Tools        MCP at %s/mcp, for older clients /sse; kill secret %s\n", s.config.BaseURL, killSecretFile(o.data))
	fmt.Fprintf(t.out, "\nTry, in another terminal:\n")
	fmt.Fprintf(t.out, "  curl -i %s/x402/verify-audit\n", s.config.BaseURL)
	fmt.Fprintf(t.out, "  open %s/x402/tip in a browser\n", s.config.BaseURL)
	base, chain := "", ""
	if s.config.BaseURL != defaultBase {
		base = " -base " + s.config.BaseURL
	}
	if o.data != defaultData {
		base, chain = base+" -data "+o.data, " "+auditfile.Path(o.data, wiring.ChainName)
	}
	fmt.Fprintf(t.out, "  go run ./functions/local pay POST /x402/audit-mcp -d testdata/lint/demo.json%s\n", base)
	fmt.Fprintf(t.out, "  go run ./functions/local verify chain%s\n\n", chain)
}
