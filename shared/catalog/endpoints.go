package catalog

// Versions of the contract.
const (
	X402Version      = 2
	APIVersion       = "1.1.0" // info.version of /openapi.json
	CardProtocol     = "0.3.0"
	CardVersion      = "1.0.0"
	MaxTimeoutSecond = 60 // validity window that a client is asked to sign

	LastUpdated = "2026-11-21T00:00:00Z" // when a row of the list last changed

	ServiceName = "Governance Service" // at most 32 printable ASCII characters (x402 v2 resource.serviceName)
)

// Statuses of the kinds of route. Every paid route can answer all of paid: 400
// for a malformed query, identifier or stray body, 409 for a payment identifier
// used with another payload or a delivery that is over, 503 while an outcome is
// unknown.
var (
	paid     = []int{200, 400, 402, 409, 500, 503}
	paidBody = []int{200, 400, 402, 409, 413, 415, 500, 503}
	free     = []int{200, 500}
)

const kibibyte = 1024

// Endpoints is the list; the order is the order of every document.
var Endpoints = []Endpoint{
	{
		Function: "verify-audit", Operation: "verifyAudit", Method: "GET", Path: "/x402/verify-audit", Price: 5_000, Live: true,
		Summary:     "Verify the hash-chained audit trail",
		Description: "Read-only verification of the SHA-256 hash-chained governance audit trail: the verdict says exactly what was checked, with a signed checkpoint to keep.",
		Query: []Parameter{{Name: "seq", Pattern: "^[1-9][0-9]{0,15}$", Example: "1",
			Description: "Number of an entry to prove: the answer then holds an inclusion proof file (C2SP tlog-proof)."}},
		Header: []Parameter{{Name: "Audit-Checkpoint", Pattern: "^[A-Za-z0-9_=+/-]+$", Example: "Z292LmV4YW1wbGUvY2hhaW4K",
			Description: "A checkpoint of an earlier answer, in base64; also as the query parameter checkpoint. The answer then proves that the chain still begins with it, or exposes that it does not."}},
		MIME: "application/json", Response: "verification", Statuses: paid,
		Tags: []string{"audit", "verification", "hash-chain"},
	},
	{
		Function: "audit-mcp", Operation: "auditMCP", Method: "POST", Path: "/x402/audit-mcp", Price: 50_000,
		Summary:     "Lint an MCP client configuration",
		Description: "Deterministic 8-check governance lint of an MCP client configuration (secrets, supply chain, scope, transport): score 0 to 100 and findings.",
		Request:     "mcp-config", MaxBody: 64 * kibibyte,
		MIME: "application/json", Response: "lint-result", Statuses: paidBody,
		Tags: []string{"mcp", "lint", "security"},
	},
	{
		Function: "legal-prep", Operation: "legalPrep", Method: "POST", Path: "/x402/legal-prep", Price: 250_000,
		Summary:     "Prepare a conversation with a lawyer",
		Description: "Legal preparation of a text of up to 20,000 characters: explain, doc_review, draft or questions. Deterministic, every finding with a verbatim quote and its place. Assistance, not advice.",
		Request:     "legal-request", MaxBody: 64 * kibibyte,
		MIME: "application/json", Response: "legal-result", Statuses: paidBody,
		Tags: []string{"legal", "contract-review", "assistance"},
	},
	{
		Function: "bookkeeping", Operation: "bookkeeping", Method: "POST", Path: "/x402/bookkeeping", Price: 49 * Dollar,
		Summary:     "Books of bank exports, verifiable with sha256sum",
		Description: "Ledger, profit and loss, anomalies and questions of bank exports (CSV, OFX, CAMT.053), in a chain of SHA-256. A file that reads two ways is refused and costs nothing.",
		Request:     "books-request", Accepts: []string{"text/csv", "multipart/form-data"}, MaxBody: 5 * 1024 * kibibyte,
		MIME: "application/json", Response: "books-result", Statuses: paidBody,
		Tags: []string{"bookkeeping", "accounting", "csv", "ledger", "tax"},
	},
	{
		Function: "agent-therapy", Operation: "agentTherapy", Method: "POST", Path: "/x402/agent-therapy", Price: 990_000,
		Summary:     "Diagnose instructions and transcripts of agents",
		Description: "Conflicts between instructions with both lines quoted, boundary gaps, operator patterns of transcripts, rules that were broken; with a patch, a repair skill and a draft of governance.yaml. Up to 256 KB.",
		Request:     "therapy-request", MaxBody: 256 * kibibyte,
		Accepts: []string{"text/plain", "text/markdown", "application/x-ndjson", "application/jsonl"},
		MIME:    "application/json", Response: "therapy-result", Statuses: paidBody,
		Tags: []string{"agents", "instructions", "skills"},
	},
	{
		Function: "playbook", Operation: "playbookX402Integration", Method: "GET", Path: "/x402/playbook/x402-integration", Price: 100_000,
		Summary:     "Guide: x402 v2 integration",
		Description: "Markdown guide to x402 v2 integration for sellers and buyers: wire shapes, verification steps, failure table, idempotency, a tested example.",
		MIME:        "text/markdown", Statuses: paid, Preview: "/x402/playbook/x402-integration/preview",
		Tags: []string{"x402", "guide", "payments"},
	},
	{
		Function: "playbook", Operation: "playbookMCPHardening", Method: "GET", Path: "/x402/playbook/mcp-hardening", Price: 100_000,
		Summary:     "Guide: 16-point MCP hardening checklist",
		Description: "Markdown 16-point MCP hardening checklist: risk, check command, fix, and how the lint sees each point.",
		MIME:        "text/markdown", Statuses: paid, Preview: "/x402/playbook/mcp-hardening/preview",
		Tags: []string{"mcp", "guide", "hardening"},
	},
	{
		Function: "tip", Operation: "tip", Method: "GET", Path: "/x402/tip", Price: 10_000, Variable: true,
		Summary:     "Leave a tip, get a signed thank-you",
		Description: "A tip of 0.01 USD or more, chosen with the query parameter amount, answered with a signed thank-you that verifies offline.",
		Query: []Parameter{{Name: "amount", Pattern: `^[0-9]{1,4}(\.[0-9]{1,6})?$`, Example: "0.05",
			Description: "Tip in dollars: 0.01 (default) to 1000, at most 6 decimals. The payment terms follow it."}},
		MIME: "application/json", Response: "thank-you", Statuses: paid,
		Tags: []string{"tip"},
	},
	{
		Function: "playbook-preview", Operation: "previewX402Integration", Method: "GET", Path: "/x402/playbook/x402-integration/preview",
		Summary:     "Preview of the x402 guide",
		Description: "Title, contents and first section of the x402 v2 integration guide.",
		MIME:        "text/markdown", Statuses: free,
	},
	{
		Function: "playbook-preview", Operation: "previewMCPHardening", Method: "GET", Path: "/x402/playbook/mcp-hardening/preview",
		Summary:     "Preview of the MCP hardening checklist",
		Description: "Title, contents and first section of the 16-point MCP hardening checklist.",
		MIME:        "text/markdown", Statuses: free,
	},
	{
		Function: "scan", Operation: "scan", Method: "POST", Path: "/scan",
		Summary:     "Score a description of an agent system",
		Description: "Governance scan of a description in plain English: nine dimensions with levels from 0 to 4 and verbatim evidence, a score, the top gaps and fixes. Names without substance earn nothing. Rate limited.",
		Request:     "scan-request", MaxBody: 128 * kibibyte,
		MIME: "application/json", Response: "scan-result", Statuses: []int{200, 400, 413, 415, 429, 500},
	},
	{
		Function: "products", Operation: "products", Method: "GET", Path: "/x402/products",
		Summary:     "Catalogue of paid products",
		Description: "All paid products with prices and preview links.",
		MIME:        "application/json", Response: "products", Statuses: free,
	},
	{
		Function: "discovery", Operation: "discoveryResources", Method: "GET", Path: "/discovery/resources",
		Summary:     "Paid resources, for directories",
		Description: "All paid resources with terms, tags and how to call them, in the shape of the x402 discovery API.",
		Query: []Parameter{
			{Name: "type", Pattern: "^[a-z]+$", Example: "http", Description: "Kind of resource; all here are http."},
			{Name: "limit", Pattern: "^[0-9]{1,3}$", Example: "20", Description: "Most resources to give: 1 to 100, default 20."},
			{Name: "offset", Pattern: "^[0-9]{1,9}$", Example: "0", Description: "Resources to leave out at the start, default 0."},
			{Name: "payTo", Pattern: "^0x[0-9a-fA-F]{40}$", Example: "0x" + zeros[:40], Description: "Only resources that pay this address."},
			{Name: "scheme", Pattern: "^[a-z-]+$", Example: "exact", Description: "Only resources with this payment scheme."},
			{Name: "network", Pattern: "^[a-z0-9]+:[A-Za-z0-9]+$", Example: "eip155:8453", Description: "Only resources on this network (CAIP-2)."},
			{Name: "extensions", Pattern: "^[a-z-]+$", Example: "bazaar", Description: "Only resources with this extension."},
		},
		MIME: "application/json", Response: "discovery", Statuses: []int{200, 400, 500},
	},
	{
		Function: "payment-state", Operation: "paymentState", Method: "GET", Path: "/x402/payments/{nonce}",
		Summary:     "State of one payment",
		Description: "State and transaction hash of the payment with this authorization nonce; never its content.",
		PathParams: []Parameter{{Name: "nonce", Pattern: "^0x[0-9a-fA-F]{64}$", Example: "0x" + zeros,
			Description: "The authorization nonce that the payer signed: 0x and 64 hex digits."}},
		MIME: "application/json", Response: "payment-state", Statuses: []int{200, 400, 404, 500, 503},
	},
	{
		Function: "openapi", Operation: "openapi", Method: "GET", Path: "/openapi.json",
		Summary:     "OpenAPI 3.1 description",
		Description: "Machine-readable description of the API.",
		MIME:        "application/json", Statuses: free,
	},
	{
		Function: "llms", Operation: "llms", Method: "GET", Path: "/llms.txt",
		Summary:     "Plain-text summary for language models",
		Description: "What the service does, each endpoint with its price, and how to pay.",
		MIME:        "text/plain", Statuses: free,
	},
	{
		Function: "agent-card", Operation: "agentCard", Method: "GET", Path: "/.well-known/agent-card.json",
		Summary:     "A2A agent card",
		Description: "Agent card, protocol 0.3.0.",
		MIME:        "application/json", Statuses: free,
	},
	{
		Function: "agent-card", Operation: "agentCardLegacy", Method: "GET", Path: "/.well-known/agent.json",
		Summary:     "A2A agent card at its older path",
		Description: "The same agent card at the path that older clients read.",
		MIME:        "application/json", Statuses: free,
	},
	{
		Function: "x402-manifest", Operation: "x402Manifest", Method: "GET", Path: "/.well-known/x402",
		Summary:     "x402 discovery manifest",
		Description: "Paid resources with their terms, and the address that signs offers and receipts.",
		MIME:        "application/json", Statuses: free,
	},
}

const zeros = "0000000000000000000000000000000000000000000000000000000000000000"
