// Package config reads the settings of a process from its environment. The
// struct comments are the manual. The zero environment is local mode: the
// development chain, a data directory in the working directory, loopback.
package config

import (
	"fmt"
	"math"
	"math/big"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Config holds all settings of a process.
type Config struct {
	// BASE_URL: the address that clients use, without a trailing slash. It is
	// the prefix of every x402 resource; the Host header is never used for that.
	BaseURL string

	// NETWORK: CAIP-2 name of the settlement network. Default eip155:8453.
	Network string
	// ASSET: address of the token contract. Default: USD Coin on Base.
	Asset string
	// ASSET_NAME and ASSET_VERSION: EIP-712 domain of the token. Default "USD
	// Coin" and "2"; note that the test network's token calls itself "USDC".
	AssetName, AssetVersion string
	// PAY_TO: the address that receives the money.
	PayTo string

	// RPC_URLS: JSON-RPC addresses of nodes of the network, comma separated, in
	// order of preference.
	RPCURLs []string
	// DEVELOPMENT_CHAIN: any value but false means that the nodes of RPC_URLS serve the
	// development chain. Its chain id and token are those of the real network, so the
	// terms and the payment page then warn against real wallets. The all-in-one detects
	// it. Default: false.
	DevelopmentChain bool
	// GAS_KEY_FILE: file with the private key of the wallet that pays the gas; not
	// needed with FACILITATOR_URL.
	GasKeyFile string
	// GAS_KEY_KMS: id, ARN or alias of that key in AWS KMS (ECC_SECG_P256K1), instead
	// of a file.
	GasKeyKMS string
	// GAS_KEY: that key itself, 64 hex digits, instead of a file. In a deployment it is
	// the ARN of a secret, see package environment.
	GasKey string
	// GAS_FEE_CAP_GWEI: max price of a unit of gas in gwei, with at most nine decimals.
	// Above it a payment is answered 503 and not charged. Default 2.
	GasFeeCap *big.Int // wei
	// WALLET_GAS_CAP: max gas of a settlement whose payer is a contract wallet that is
	// deployed, or a key, from 100000 to 1000000. The token runs the wallet's code with it.
	// Default 300000.
	WalletGasCap uint64
	// WASTED_GAS_BUDGET: max gas of failed settlements in an hour. Above it, contract
	// wallets wait for the next hour; other payers are not affected. 0 is no limit.
	// Default 3000000.
	WastedGasBudget uint64
	// CONTRACT_WALLETS: false refuses payers that are contracts or delegate to code; every
	// other value takes them. Default true.
	NoContractWallets bool
	// ERC6492_FACTORIES: addresses of factories, comma separated, that the gas wallet
	// may call to deploy a payer's contract wallet with its first payment. Default:
	// none; a wallet must then be deployed before it pays.
	ERC6492Factories []string
	// FACILITATOR_URL: x402 facilitators that verify and settle instead of our own
	// gas wallet, comma separated, in order of preference. Their answers are checked
	// on the nodes of RPC_URLS.
	FacilitatorURLs []string
	// FACILITATOR_TOKEN: their bearer tokens, comma separated, in the same order;
	// one without a token has an empty place.
	FacilitatorTokens []string
	// CDP_KEY_ID and CDP_KEY_SECRET: API key of the Coinbase Developer Platform, for
	// its facilitator https://api.cdp.coinbase.com/platform/v2/x402.
	CDPKeyID, CDPKeySecret string
	// SIGNING_KEY_FILE: file with the private key that signs offers, receipts and
	// evidence. Default: signing.key in the data directory, created if missing.
	SigningKeyFile string
	// SIGNING_KEY: that key itself, 64 hex digits, instead of a file. In a deployment it
	// is the ARN of a secret, see package environment.
	SigningKey string
	// SIGNER_ADDRESS: address of that key, for functions that only publish it.
	SignerAddress string

	// DATA_DIR: directory of the audit chain, the payment store and the signing key,
	// as far as these have no place of their own.
	DataDir string
	// AUDIT_TABLE: DynamoDB table of the audit chain, instead of a file in the data
	// directory; keys pk and sk, both strings. Region and credentials as for
	// PAYMENTS_TABLE.
	AuditTable string
	// CHECKPOINT_KEY_FILE: file with the key that signs checkpoints of the audit chain.
	// Default: checkpoint.key in the data directory, created if missing.
	CheckpointKeyFile string
	// CHECKPOINT_KEY_KMS: id, ARN or alias of that key in AWS KMS
	// (ECC_NIST_EDWARDS25519), instead of a file.
	CheckpointKeyKMS string
	// CHECKPOINT_ORIGIN: name of the audit chain in its checkpoints. Default: the
	// host and path of BASE_URL and the chain's name. A key in a file has its own.
	CheckpointOrigin string
	// PAYMENTS_TABLE: DynamoDB table of the payments, instead of a file in the data
	// directory. Region and keys come from the environment, as Lambda sets it.
	PaymentsTable string
	// RESULT_BUCKET: S3 bucket of results that are too large for the table.
	ResultBucket string
	// CHECKPOINT_DIR: directory on a mounted share or disk that keeps a copy of every
	// checkpoint of the audit chain. With SEGMENT_BUCKET they
	// are in the bucket anyway.
	CheckpointDir string
	// CHECKPOINT_WITNESSES: C2SP witnesses that sign the checkpoints, comma separated,
	// each an address (its submission prefix), a space and its verifier key.
	CheckpointWitnesses []string
	// CHECKPOINT_MEMO_KEY_FILE: file with the private key of a wallet that writes a
	// checkpoint to the chain of RPC_URLS once a day, as a transaction to itself. It pays
	// the gas and must not be the gas wallet. Default: none.
	CheckpointMemoKeyFile string
	// SEGMENT_BUCKET: S3 bucket of sealed segments of the audit chain, instead of the
	// folder segments in the data directory.
	SegmentBucket string
	// SEGMENT_RETENTION_DAYS: number of days, at most 36500, for which a segment or
	// checkpoint in the bucket is locked. The bucket must have Object Lock. Default 0: no lock.
	SegmentRetention time.Duration
	// SEGMENT_LOCK_MODE: mode of that lock. With governance (default) a principal with
	// s3:BypassGovernanceRetention can lift it; with compliance no one can until the
	// retention is over, the account's root included.
	SegmentLockMode string
	// GOV_API_TOKEN: bearer token of the tool server, at least 32 characters; required
	// unless the server listens on loopback only.
	APIToken string
	// ORIGIN_SECRET: value of the header X-Origin-Secret that a Lambda requires
	// in each request. The content network in front of it adds the header. Default: none.
	OriginSecret string
	// KILL_SECRET: bearer secret of the kill switch, at least 32 characters. Without it
	// the kill switch is off.
	KillSecret string
	// GOV_TOOLSETS: toolsets that the tool server offers, comma separated, of core,
	// audit, session, ops, web, bots and paid. Default: all.
	Toolsets []string
	// WORKSPACE: folder of the project that the tool server governs. Default: the
	// working directory.
	Workspace string
	// WORKSPACE_FILE: text of the governance.yaml that the task of the tool server writes
	// into its workspace at its start. Default: the file that is there, if any.
	WorkspaceFile string
	// GOV_READ_ONLY: any value but false leaves out every tool that changes anything besides
	// the service's own records.
	ReadOnly bool
	// GOV_PAID_TOOLS: any value but false sells the tools that mirror a product for
	// the product's price, by x402 over MCP. Needs what a selling function needs.
	PaidTools bool
	// OAUTH_ISSUER and OAUTH_JWKS_URL: an OAuth authorization server whose access tokens
	// the tool server takes besides GOV_API_TOKEN, and the address of its JWK set.
	OAuthIssuer, OAuthKeys string
	// OAUTH_AUDIENCE: names of this resource in those tokens, comma separated. Default:
	// BASE_URL, alone and with /mcp and /sse.
	OAuthAudiences []string
	// OAUTH_SCOPE: scope that those tokens must hold. Default: none.
	OAuthScope string
	// LLM: the model that the agent of the tool server asks.
	LLM LLM
	// STATE_TABLE: DynamoDB table of the state that several tasks of the tool server share,
	// leases and the halt; keys pk and sk, both strings. Default: one task only.
	StateTable string
	// TASK_ADDRESS: host and port of this task for the other tasks. Default: the
	// first private address of the machine.
	TaskAddress string
	// MAX_CONNECTIONS: how many connections the tool server and the all-in-one accept at
	// once. Default 0: half of the descriptors that the process may have, at most 4096.
	MaxConnections int
	// CERTIFICATION_ID: identifier of the certified agent that the legal preparation names
	// as its author. Default: it names none.
	CertificationID string
	// Telemetry: where traces and metrics go.
	Telemetry Telemetry
	// DYNAMODB_ENDPOINT, S3_ENDPOINT: addresses of local engines; not set on AWS.
	DynamoDBEndpoint, S3Endpoint string
}

// Lookup finds a variable, like os.LookupEnv.
type Lookup func(name string) (value string, ok bool)

// Secrets are the names that programs started by the service must not inherit.
var Secrets = []string{"LLM_KEY", "KILL_SECRET", "GOV_API_TOKEN", "SIGNING_KEY", "GAS_KEY", "FACILITATOR_TOKEN", "CDP_KEY_SECRET", "ORIGIN_SECRET"}

// Load reads the environment. Its error names every malformed value at once,
// without quoting it.
func Load(lookup Lookup) (Config, error) {
	get := func(name, fallback string) string {
		if value, ok := lookup(name); ok && strings.TrimSpace(value) != "" {
			return strings.TrimSpace(value)
		}
		return fallback
	}
	c := Config{
		BaseURL:               strings.TrimRight(get("BASE_URL", ""), "/"),
		Network:               get("NETWORK", "eip155:8453"),
		Asset:                 get("ASSET", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
		AssetName:             get("ASSET_NAME", "USD Coin"),
		AssetVersion:          get("ASSET_VERSION", "2"),
		PayTo:                 get("PAY_TO", ""),
		RPCURLs:               splitList(get("RPC_URLS", "")),
		DevelopmentChain:      get("DEVELOPMENT_CHAIN", "false") != "false",
		GasKeyFile:            get("GAS_KEY_FILE", ""),
		GasKeyKMS:             get("GAS_KEY_KMS", ""),
		GasKey:                get("GAS_KEY", ""),
		GasFeeCap:             gwei(get("GAS_FEE_CAP_GWEI", "2")),
		WalletGasCap:          gas(get("WALLET_GAS_CAP", "300000")),
		WastedGasBudget:       gas(get("WASTED_GAS_BUDGET", "3000000")),
		NoContractWallets:     get("CONTRACT_WALLETS", "true") == "false",
		ERC6492Factories:      splitList(get("ERC6492_FACTORIES", "")),
		FacilitatorURLs:       splitList(get("FACILITATOR_URL", "")),
		FacilitatorTokens:     places(get("FACILITATOR_TOKEN", "")),
		CDPKeyID:              get("CDP_KEY_ID", ""),
		CDPKeySecret:          get("CDP_KEY_SECRET", ""),
		SigningKeyFile:        get("SIGNING_KEY_FILE", ""),
		SigningKey:            get("SIGNING_KEY", ""),
		SignerAddress:         get("SIGNER_ADDRESS", ""),
		DataDir:               get("DATA_DIR", ""),
		AuditTable:            get("AUDIT_TABLE", ""),
		CheckpointKeyFile:     get("CHECKPOINT_KEY_FILE", ""),
		CheckpointKeyKMS:      get("CHECKPOINT_KEY_KMS", ""),
		CheckpointOrigin:      get("CHECKPOINT_ORIGIN", ""),
		PaymentsTable:         get("PAYMENTS_TABLE", ""),
		ResultBucket:          get("RESULT_BUCKET", ""),
		CheckpointDir:         get("CHECKPOINT_DIR", ""),
		CheckpointWitnesses:   splitList(get("CHECKPOINT_WITNESSES", "")),
		CheckpointMemoKeyFile: get("CHECKPOINT_MEMO_KEY_FILE", ""),
		SegmentBucket:         get("SEGMENT_BUCKET", ""),
		SegmentRetention:      days(get("SEGMENT_RETENTION_DAYS", "0")),
		SegmentLockMode:       get("SEGMENT_LOCK_MODE", "governance"),
		DynamoDBEndpoint:      get("DYNAMODB_ENDPOINT", ""),
		S3Endpoint:            get("S3_ENDPOINT", ""),
		APIToken:              get("GOV_API_TOKEN", ""),
		OriginSecret:          get("ORIGIN_SECRET", ""),
		KillSecret:            get("KILL_SECRET", ""),
		Toolsets:              splitList(get("GOV_TOOLSETS", "")),
		OAuthIssuer:           get("OAUTH_ISSUER", ""),
		OAuthKeys:             get("OAUTH_JWKS_URL", ""),
		OAuthAudiences:        splitList(get("OAUTH_AUDIENCE", "")),
		OAuthScope:            get("OAUTH_SCOPE", ""),
		LLM:                   loadLLM(get),
		StateTable:            get("STATE_TABLE", ""),
		TaskAddress:           get("TASK_ADDRESS", ""),
		PaidTools:             get("GOV_PAID_TOOLS", "false") != "false",
		Workspace:             get("WORKSPACE", ""),
		WorkspaceFile:         get("WORKSPACE_FILE", ""),
		Telemetry:             loadTelemetry(get),
		CertificationID:       get("CERTIFICATION_ID", ""),
		MaxConnections:        count(get("MAX_CONNECTIONS", "0")),
		ReadOnly:              get("GOV_READ_ONLY", "false") != "false", // any other text counts as true
	}
	return c, c.check()
}

// places reads a list whose places may be empty.
func places(text string) []string {
	if text == "" {
		return nil
	}
	list := strings.Split(text, ",")
	for i, place := range list {
		list[i] = strings.TrimSpace(place)
	}
	return list
}

var gweiPattern = regexp.MustCompile(`^[0-9]{1,9}(\.[0-9]{1,9})?$`)

// gwei reads an amount as wei; nil if it is malformed.
func gwei(text string) *big.Int {
	if !gweiPattern.MatchString(text) {
		return nil
	}
	whole, fraction, _ := strings.Cut(text, ".")
	wei, _ := new(big.Int).SetString(whole+(fraction + "000000000")[:9], 10) // digits only
	return wei
}

// malformedGas is no amount of gas that a setting can have.
const malformedGas = math.MaxUint64

// gas reads an amount of gas.
func gas(text string) uint64 {
	amount, err := strconv.ParseUint(text, 10, 53)
	if err != nil {
		return malformedGas
	}
	return amount
}

// days reads a number of days; negative if it is malformed.
func days(text string) time.Duration {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n > 36500 {
		return -1
	}
	return time.Duration(n) * 24 * time.Hour
}

// count reads a number; negative if it is malformed.
func count(text string) int {
	n, err := strconv.ParseUint(text, 10, 20)
	if err != nil {
		return -1
	}
	return int(n)
}

func splitList(text string) []string {
	var parts []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// problems collects the malformed settings.
type problems []string

// refuse adds a problem if a setting is bad.
func (p *problems) refuse(isBad bool, problem string) {
	if isBad {
		*p = append(*p, problem)
	}
}

// check validates the settings and reports all malformed ones at once.
func (c Config) check() error {
	var p problems
	c.checkAddresses(&p)

	p = append(p, c.LLM.check()...)
	p.refuse(len(c.FacilitatorTokens) > len(c.FacilitatorURLs),
		"FACILITATOR_TOKEN must not have more places than FACILITATOR_URL has addresses")

	c.checkAccounts(&p)
	p = append(p, c.Telemetry.check()...)
	c.checkLimits(&p)
	c.checkSegments(&p)

	if len(p) > 0 {
		return fmt.Errorf("configuration: %s", strings.Join(p, "; "))
	}
	return nil
}

func (c Config) checkAddresses(p *problems) {
	for _, field := range []Setting{
		{"BASE_URL", c.BaseURL},
		{"DYNAMODB_ENDPOINT", c.DynamoDBEndpoint},
		{"S3_ENDPOINT", c.S3Endpoint},
	} {
		p.refuse(field.Value != "" && !isHTTP(field.Value), field.Name+" must start with http:// or https://")
	}

	p.refuse(!all(c.RPCURLs, isHTTP),
		"RPC_URLS must be http:// or https:// addresses")
	p.refuse(!all(c.ERC6492Factories, isAddress),
		"ERC6492_FACTORIES must be addresses of 0x and 40 hex digits, comma separated")
	p.refuse(!all(c.FacilitatorURLs, isPrivate),
		"FACILITATOR_URL must be https:// addresses, or http:// on this machine")

	hasOAuth := c.OAuthIssuer+c.OAuthKeys != ""
	p.refuse(hasOAuth && !all([]string{c.OAuthIssuer, c.OAuthKeys}, isPrivate),
		"OAUTH_ISSUER and OAUTH_JWKS_URL must both be https:// addresses, or http:// on this machine")
}

func (c Config) checkAccounts(p *problems) {
	for _, field := range []Setting{
		{"PAY_TO", c.PayTo},
		{"ASSET", c.Asset},
		{"SIGNER_ADDRESS", c.SignerAddress},
	} {
		p.refuse(field.Value != "" && !isAddress(field.Value), field.Name+" must be 0x and 40 hex digits")
	}
}

func (c Config) checkLimits(p *problems) {
	p.refuse(c.GasFeeCap == nil || c.GasFeeCap.Sign() == 0,
		"GAS_FEE_CAP_GWEI must be a number of gwei above 0 with at most nine decimals")
	p.refuse(c.WalletGasCap < 100_000 || c.WalletGasCap > 1_000_000,
		"WALLET_GAS_CAP must be a number from 100000 to 1000000")
	p.refuse(c.WastedGasBudget == malformedGas,
		"WASTED_GAS_BUDGET must be a number of gas")
	p.refuse(c.MaxConnections < 0,
		"MAX_CONNECTIONS must be a number from 0 to 1048575")
}

func (c Config) checkSegments(p *problems) {
	p.refuse(c.SegmentRetention < 0,
		"SEGMENT_RETENTION_DAYS must be a number from 0 to 36500")
	p.refuse(c.SegmentRetention > 0 && c.SegmentBucket == "",
		"SEGMENT_RETENTION_DAYS needs SEGMENT_BUCKET: a folder locks nothing")
	p.refuse(c.SegmentLockMode != "governance" && c.SegmentLockMode != "compliance",
		"SEGMENT_LOCK_MODE must be governance or compliance")
}

// all reports whether every text of a list passes a test.
func all(list []string, passes func(string) bool) bool {
	for _, text := range list {
		if !passes(text) {
			return false
		}
	}
	return true
}

func isHTTP(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return false
	}
	return u.Scheme == "http" || u.Scheme == "https"
}

// isPrivate reports whether requests to an address are encrypted or stay on this machine.
func isPrivate(text string) bool {
	u, err := url.Parse(text)
	if err != nil || !isHTTP(text) {
		return false
	}
	if u.Scheme == "https" || u.Hostname() == "localhost" {
		return true
	}

	ip := net.ParseIP(u.Hostname())
	return ip != nil && ip.IsLoopback()
}

func isAddress(text string) bool {
	digits, ok := strings.CutPrefix(text, "0x")
	if !ok || len(digits) != 40 {
		return false
	}
	return strings.Trim(digits, "0123456789abcdefABCDEF") == ""
}

// Setting is a value that a part of the service requires.
type Setting struct{ Name, Value string }

// Need returns an error that names all missing settings.
func Need(settings ...Setting) error {
	var missing []string
	for _, s := range settings {
		if s.Value == "" {
			missing = append(missing, s.Name)
		}
	}

	if len(missing) > 0 {
		return fmt.Errorf("configuration: set %s", strings.Join(missing, ", "))
	}
	return nil
}
