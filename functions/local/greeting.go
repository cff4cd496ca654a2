package main

import (
	"fmt"
	"strings"
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

	_ = table.Flush() // fails only if the terminal is closed
	fmt.Fprintf(t.out, "\nAudit chain  %s/%s.jsonl, keys and payments beside it\n", o.data, wiring.ChainName)
	s.greetChain(t)
	fmt.Fprintf(t.out, "Tools        MCP at %s/mcp, for older clients /sse; kill secret in %s\n",
		s.config.BaseURL, killSecretFile(o.data))
	fmt.Fprintf(t.out, "\nTry, in another terminal:\n")
	fmt.Fprintf(t.out, "  curl -i %s/x402/verify-audit\n", s.config.BaseURL)

	fmt.Fprintf(t.out, "  open %s/x402/tip in a browser\n", s.config.BaseURL)
	base, chain := "", ""
	if s.config.BaseURL != defaultBase() {
		base = " --base " + s.config.BaseURL
	}
	if o.data != defaultData {
		base, chain = base+" --data "+o.data, " "+auditfile.Path(o.data, wiring.ChainName)
	}

	fmt.Fprintf(t.out, "  %s pay POST /x402/audit-mcp -d testdata/lint/demo.json%s\n", program(), base)
	fmt.Fprintf(t.out, "  %s verify chain%s\n\n", program(), chain)
}

// greetChain says on which chain the payments settle, where it is a development chain.
func (s *service) greetChain(t terminal) {
	if !s.config.DevelopmentChain {
		return
	}
	fmt.Fprintf(t.out, "Chain        development chain, play money; JSON-RPC %s\n",
		strings.Join(s.config.RPCURLs, ", "))
	fmt.Fprintf(t.out, "             It has the chain id and the token of %s: a real wallet must never sign for it\n",
		s.config.Network)

	if payer, err := devPayer(); err == nil {
		fmt.Fprintf(t.out, "Payer        %s with play money, used by `pay`\n", payer.Address())
	}
}
