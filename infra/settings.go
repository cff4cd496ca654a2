package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"governance.internal/shared/config"
)

// Settings configure a deployment. They are the context of the CDK, given as
// `-c name=value` or in cdk.json, under the names in the comments.
//
// Without any, the service runs on the test network and sells for test money.
type Settings struct {
	Name   string   // name: first part of the names of all stacks. Default governance
	Stage  string   // stage: tag env. Default: test or live, after the network
	Owner  string   // owner: tag owner. Default: the name
	Region string   // region: Default us-east-1
	Zones  []string // zones: ids of the two availability zones, comma separated (use1-az4,use1-az6). Default: two that have Fargate on Arm and VPC origins
	// edgePrefixList: id of CloudFront's prefix list in the region. Default: known for the larger regions
	EdgePrefixList string
	Arch           string // arch: arm64 (default) or x86_64, for `sam local invoke` on such a laptop

	Domain      string // domain: host name of the service. Default: the name that CloudFront gives
	Certificate string // certificate: ARN of the domain's certificate in us-east-1

	Network      string // network: base-sepolia (default) or base
	PayTo        string // payTo: address that receives the money
	Asset        string // asset: address of the token. Default: USD Coin on the network
	AssetName    string // assetName: EIP-712 name of the token
	AssetVersion string // assetVersion: EIP-712 version of the token
	RPCURLs      string // rpcUrls: nodes of the network, comma separated
	Facilitator  string // facilitator: x402 facilitators, comma separated; "none": our own gas wallet in KMS
	Tokens       bool   // facilitatorToken: true if the facilitators ask for bearer tokens, which are then in the secret Facilitator
	CDPKeyID     string // cdpKeyId: id of the API key for Coinbase's facilitator
	Signer       string // signer: address of the key that signs receipts, to be published

	Certification string // certificationId: identifier of the certified agent that legal preparations name

	Telemetry        string // telemetry: OTLP/HTTP address of an OpenTelemetry collector. Default: none, nothing is recorded
	TelemetryLayer   string // telemetryLayer: ARN of a Lambda layer with a collector, for telemetry http://localhost:4318
	TelemetryHeaders string // telemetryHeaders: ARN of a secret with headers for the collector, name=value
	TelemetrySample  string // telemetrySample: share of traces that are recorded, 0 to 1. Default 0.05

	AlarmsMail string // alarmsMail: where alarms and the budget's warnings go
	Budget     int    // budget: dollars a month. Default 75
	Retention  int    // retentionDays: for how many days a sealed segment is locked
	LockMode   string // lockMode: governance (default: an administrator with a special permission can lift the lock) or compliance (until the retention is over no one can, the account's root included)
	Workers    int    // workers: most concurrent runs of one function. Default 0: none are reserved, as a new account has too few

	RequestsPerSecond  int // requestsPerSecond: most requests that the API takes in a second, with bursts of twice as many. Default 500
	RequestsPerAddress int // requestsPerAddress: most requests that one address may send in five minutes, at least 10. Default 2000

	PaymentsTable string // paymentsTable: name of a restored table to use instead of the own one
	AuditTable    string // auditTable: the same for the audit chain
	StateTable    string // stateTable: the same for the state of the tool server

	passed map[string]string // values of passedOn, by the name of the variable

	WorkspaceFile string // workspaceFile: path of the governance.yaml that the tool server gets
	workspace     string // its text
	LLMAPI        string // llmApi: wire format of the model that dispatched agents ask: anthropic, openai or bedrock. Default: none
	LLMModel      string // llmModel: name of the model or of the inference profile
	LLMKey        string // llmKey: ARN of a secret with the provider's key

	Managed string // managed: what the kill switch stops elsewhere in the account, comma separated: ecs:CLUSTER/SERVICE, lambda:FUNCTION

	OriginCheck bool // originCheck: false lets requests past CloudFront, for a rotation of the secret
}

// receiver is a kind of program that a setting is passed on to.
type receiver int

const (
	sellers    receiver = iota // programs that move money
	auditors                   // programs that sign and publish checkpoints
	toolServer                 // the task
)

// passedOn are the settings that a deployment passes unchanged to its programs. The
// comments of shared/config document them.
var passedOn = []struct {
	context  string // name of the context
	variable string // name in the environment
	to       receiver
}{
	{"gasFeeCapGwei", "GAS_FEE_CAP_GWEI", sellers},
	{"erc6492Factories", "ERC6492_FACTORIES", sellers},
	{"walletGasCap", "WALLET_GAS_CAP", sellers},
	{"wastedGasBudget", "WASTED_GAS_BUDGET", sellers},
	{"contractWallets", "CONTRACT_WALLETS", sellers},
	{"checkpointWitnesses", "CHECKPOINT_WITNESSES", auditors},
	{"checkpointDir", "CHECKPOINT_DIR", toolServer},
	{"checkpointMemoKeyFile", "CHECKPOINT_MEMO_KEY_FILE", toolServer},
	{"maxConnections", "MAX_CONNECTIONS", toolServer},
	{"toolsets", "GOV_TOOLSETS", toolServer},
	{"readOnly", "GOV_READ_ONLY", toolServer},
	{"paidTools", "GOV_PAID_TOOLS", toolServer},
	{"oauthIssuer", "OAUTH_ISSUER", toolServer},
	{"oauthJwksUrl", "OAUTH_JWKS_URL", toolServer},
	{"oauthAudience", "OAUTH_AUDIENCE", toolServer},
	{"oauthScope", "OAUTH_SCOPE", toolServer},
	{"llmBaseUrl", "LLM_BASE_URL", toolServer},
	{"fence", "GOVERNANCE_FENCE", toolServer},
}

// passedTo returns the variables of one kind of receiver.
func (s Settings) passedTo(to receiver) map[string]string {
	environment := map[string]string{}
	for _, setting := range passedOn {
		value := s.passed[setting.variable]
		if setting.to == to && value != "" {
			environment[setting.variable] = value
		}
	}
	return environment
}

// sellsTools reports whether the tool server sells tools and so needs the settings of a
// selling function.
func (s Settings) sellsTools() bool {
	value := s.passed["GOV_PAID_TOOLS"]
	return value != "" && value != "false"
}

// chains are the networks that a deployment can settle on.
var chains = map[string]Settings{
	"base-sepolia": {
		Network: "eip155:84532", Stage: "test", Asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e", AssetName: "USDC",
		RPCURLs: "https://sepolia.base.org", Facilitator: "https://x402.org/facilitator",
		PayTo:     "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", // a development key that is public
		Retention: 1,
	},
	"base": {
		Network: "eip155:8453", Stage: "live", Asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", AssetName: "USD Coin",
		Facilitator: "none", Retention: 3650,
	},
}

// ReadSettings reads the context through a lookup that returns nil for a missing
// setting. The error names all missing and malformed settings.
func ReadSettings(lookup func(name string) any) (Settings, error) {
	get := func(name, fallback string) string {
		value := lookup(name)
		if value == nil {
			return fallback
		}

		text := strings.TrimSpace(fmt.Sprint(value))
		return cmp.Or(text, fallback)
	}

	network := get("network", "base-sepolia")
	chain, known := chains[network]

	name := get("name", "governance")
	s := Settings{
		Name:               name,
		Stage:              get("stage", chain.Stage),
		Owner:              get("owner", name),
		Region:             get("region", "us-east-1"),
		Arch:               get("arch", "arm64"),
		Domain:             get("domain", ""),
		Certificate:        get("certificate", ""),
		Network:            chain.Network,
		PayTo:              get("payTo", chain.PayTo),
		Asset:              get("asset", chain.Asset),
		AssetName:          get("assetName", chain.AssetName),
		AssetVersion:       get("assetVersion", "2"),
		RPCURLs:            get("rpcUrls", chain.RPCURLs),
		Facilitator:        get("facilitator", chain.Facilitator),
		CDPKeyID:           get("cdpKeyId", ""),
		Signer:             get("signer", ""),
		Tokens:             get("facilitatorToken", "false") != "false",
		Certification:      get("certificationId", ""),
		Telemetry:          get("telemetry", ""),
		TelemetryLayer:     get("telemetryLayer", ""),
		TelemetryHeaders:   get("telemetryHeaders", ""),
		TelemetrySample:    get("telemetrySample", "0.05"),
		AlarmsMail:         get("alarmsMail", ""),
		Budget:             number(get("budget", "75")),
		Retention:          number(get("retentionDays", strconv.Itoa(chain.Retention))),
		Workers:            number(get("workers", "0")),
		LockMode:           get("lockMode", "governance"),
		RequestsPerSecond:  number(get("requestsPerSecond", "500")),
		RequestsPerAddress: number(get("requestsPerAddress", "2000")),
		PaymentsTable:      get("paymentsTable", ""),
		AuditTable:         get("auditTable", ""),
		StateTable:         get("stateTable", ""),
		passed:             map[string]string{},
		Managed:            get("managed", ""),
		WorkspaceFile:      get("workspaceFile", ""),
		LLMAPI:             get("llmApi", ""),
		LLMModel:           get("llmModel", ""),
		LLMKey:             get("llmKey", ""),
		OriginCheck:        get("originCheck", "true") != "false",
	}
	for _, setting := range passedOn {
		s.passed[setting.variable] = get(setting.context, "")
	}

	s.EdgePrefixList = get("edgePrefixList", edgePrefixLists[s.Region])
	if zones := get("zones", goodZones[s.Region]); zones != "" {
		s.Zones = strings.Split(zones, ",")
	}
	if !known {
		return s, fmt.Errorf("context: network must be base-sepolia or base")
	}

	return s, errors.Join(s.readWorkspace(), s.check())
}

// maxWorkspace fits a task definition, which has at most 64 KB.
const maxWorkspace = 32 << 10

func (s *Settings) readWorkspace() error {
	if s.WorkspaceFile == "" {
		return nil
	}
	text, err := os.ReadFile(s.WorkspaceFile)
	if err != nil {
		return fmt.Errorf("context: workspaceFile: %w", err)
	}
	if len(text) > maxWorkspace {
		return fmt.Errorf("context: workspaceFile has more than %d bytes", maxWorkspace)
	}

	s.workspace = string(text)
	return nil
}

// tools is the environment of the tool server alone.
func (s Settings) tools() map[string]string {
	environment := map[string]string{"WORKSPACE": dataDir + "/workspace"}
	maps.Copy(environment, s.passedTo(toolServer))
	for name, value := range map[string]string{
		"WORKSPACE_FILE": s.workspace,
		"LLM_API":        s.LLMAPI,
		"LLM_MODEL":      s.LLMModel,
		"LLM_KEY":        s.LLMKey,
	} {
		if value != "" {
			environment[name] = value
		}
	}
	return environment
}

// number is negative if it is malformed.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}

// managedPattern has no star: the kill switch may stop only named resources.
var managedPattern = regexp.MustCompile(`^(ecs:[\w-]+/[\w-]+|lambda:[\w-]+)(,(ecs:[\w-]+/[\w-]+|lambda:[\w-]+))*$`)

// zonePattern is an availability zone's id, not its name, which differs between accounts.
var zonePattern = regexp.MustCompile(`^[a-z]{2,5}[0-9]-az[0-9]$`)

// badZones reports whether zones are set and are not the ids of two zones.
func (s Settings) badZones() bool {
	if len(s.Zones) == 0 {
		return false
	}
	if len(s.Zones) != 2 {
		return true
	}

	first, second := s.Zones[0], s.Zones[1]
	areIDs := zonePattern.MatchString(first) && zonePattern.MatchString(second)
	return !areIDs || first == second
}

var namePattern = regexp.MustCompile(`^[a-z][a-z0-9-]{1,19}$`)

func (s Settings) check() error {
	var bad []string
	realMoney := s.Network == chains["base"].Network
	for _, field := range []config.Setting{
		{Name: "payTo", Value: s.PayTo},
		{Name: "rpcUrls", Value: s.RPCURLs},
		{Name: "alarmsMail", Value: s.AlarmsMail},
	} {
		if realMoney && field.Value == "" {
			bad = append(bad, "set "+field.Name+": a service for real money needs it")
		}
	}

	for _, rule := range s.rules() {
		if rule.broken {
			bad = append(bad, rule.problem)
		}
	}

	if err := s.checkPrograms(); err != nil {
		bad = append(bad, err.Error())
	}
	if len(bad) > 0 {
		return fmt.Errorf("context: %s", strings.Join(bad, "; "))
	}
	return nil
}

// rule is a condition on the settings, with the problem if it is broken.
type rule struct {
	broken  bool
	problem string
}

func (s Settings) rules() []rule {
	return []rule{
		{
			broken:  !namePattern.MatchString(s.Name),
			problem: "name must have 2 to 20 lower-case letters, digits and hyphens",
		},
		{
			broken:  !slices.Contains([]string{"arm64", "x86_64"}, s.Arch),
			problem: "arch must be arm64 or x86_64",
		},
		{
			broken:  s.Domain != "" && !strings.HasPrefix(s.Certificate, "arn:aws:acm:us-east-1:"),
			problem: "set certificate to the ARN of the domain's certificate, in us-east-1 as CloudFront demands",
		},
		{
			broken:  strings.ContainsAny(s.Domain, "/:"),
			problem: "domain must be a host name alone",
		},
		{
			broken:  s.AlarmsMail != "" && !strings.Contains(s.AlarmsMail, "@"),
			problem: "alarmsMail must be a mail address",
		},
		{
			broken:  s.TelemetryLayer != "" && !strings.HasPrefix(s.TelemetryLayer, "arn:aws:lambda:"),
			problem: "telemetryLayer must be the ARN of a version of a layer",
		},
		{
			broken:  s.TelemetryHeaders != "" && !strings.HasPrefix(s.TelemetryHeaders, "arn:aws:secretsmanager:"),
			problem: "telemetryHeaders must be the ARN of a secret, so that no key is in a template",
		},
		{
			broken:  s.Telemetry == "" && s.TelemetryLayer+s.TelemetryHeaders != "",
			problem: "set telemetry: the address of the collector is missing",
		},
		{
			broken:  s.Tokens && strings.Contains(s.Facilitator, cdpHost),
			problem: "facilitatorToken is for facilitators other than Coinbase's, whose key is in the same secret",
		},
		{
			broken:  s.Budget <= 0,
			problem: "budget must be a number of dollars",
		},
		{
			broken:  s.Workers < 0,
			problem: "workers must be a number",
		},
		{
			broken:  s.badZones(),
			problem: "zones must be the ids of two availability zones, for example use1-az4,use1-az6",
		},
		{
			broken:  !strings.HasPrefix(s.EdgePrefixList, "pl-"),
			problem: "set edgePrefixList to the id that `aws ec2 describe-managed-prefix-lists --filters Name=prefix-list-name,Values=com.amazonaws.global.cloudfront.origin-facing` gives for the region",
		},
		{
			broken:  s.RequestsPerSecond <= 0,
			problem: "requestsPerSecond must be a number above 0",
		},
		{
			broken:  s.RequestsPerAddress < 10,
			problem: "requestsPerAddress must be a number of at least 10",
		},
		{
			broken:  s.outsideDisk("CHECKPOINT_DIR"),
			problem: "checkpointDir must be a folder below " + dataDir + ", the disk of the tool server",
		},
		{
			broken:  s.outsideDisk("CHECKPOINT_MEMO_KEY_FILE"),
			problem: "checkpointMemoKeyFile must be a file below " + dataDir + ", the disk of the tool server",
		},
		{
			broken:  s.LLMKey != "" && !strings.HasPrefix(s.LLMKey, "arn:aws:secretsmanager:"),
			problem: "llmKey must be the ARN of a secret, so that no key is in a template",
		},
		{
			broken:  (s.LLMAPI == "") != (s.LLMModel == ""),
			problem: "set llmApi and llmModel, or neither",
		},
		{
			broken:  s.Managed != "" && !managedPattern.MatchString(s.Managed),
			problem: "managed must be a list of ecs:CLUSTER/SERVICE and lambda:FUNCTION",
		},
		{
			broken:  strings.Contains(s.Facilitator, cdpHost) && s.CDPKeyID == "",
			problem: "set cdpKeyId: Coinbase's facilitator needs an API key",
		},
	}
}

// checkPrograms refuses settings that the programs would refuse at start.
func (s Settings) checkPrograms() error {
	environment := s.site()
	maps.Copy(environment, s.telemetry())
	delete(environment, "OTEL_EXPORTER_OTLP_HEADERS") // a reference here
	maps.Copy(environment, s.passed)

	environment["RPC_URLS"] = s.RPCURLs
	environment["FACILITATOR_URL"] = s.facilitators()
	environment["LLM_API"] = s.LLMAPI
	environment["SEGMENT_BUCKET"] = "bucket"
	environment["SEGMENT_LOCK_MODE"] = s.LockMode
	environment["SEGMENT_RETENTION_DAYS"] = strconv.Itoa(s.Retention)

	_, err := config.Load(func(name string) (string, bool) {
		value, ok := environment[name]
		return value, ok
	})
	return err
}

// outsideDisk reports whether a path is set that is not on the tool server's disk.
func (s Settings) outsideDisk(variable string) bool {
	path := s.passed[variable]
	return path != "" && !strings.HasPrefix(path, dataDir+"/")
}

const cdpHost = "api.cdp.coinbase.com"

// facilitators returns the list for the functions, "" for the gas wallet of the service.
func (s Settings) facilitators() string {
	if s.Facilitator == "none" {
		return ""
	}
	return s.Facilitator
}

// site is the environment of a function that only describes the products.
func (s Settings) site() map[string]string {
	environment := map[string]string{
		"NETWORK":       s.Network,
		"ASSET":         s.Asset,
		"ASSET_NAME":    s.AssetName,
		"ASSET_VERSION": s.AssetVersion,
		"PAY_TO":        s.PayTo,
	}
	for name, value := range map[string]string{
		"SIGNER_ADDRESS":   s.Signer,
		"FACILITATOR_URL":  s.facilitators(),
		"CERTIFICATION_ID": s.Certification,
	} {
		if value != "" {
			environment[name] = value
		}
	}

	return environment
}

// telemetry is the environment of a program that reports to a collector.
func (s Settings) telemetry() map[string]string {
	if s.Telemetry == "" {
		return nil
	}
	environment := map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": s.Telemetry,
		"OTEL_TRACES_SAMPLER_ARG":     s.TelemetrySample,
	}

	if s.TelemetryHeaders != "" {
		environment["OTEL_EXPORTER_OTLP_HEADERS"] = s.TelemetryHeaders
	}
	return environment
}

// parameter is the name of the SSM parameter that holds the base URL.
func (s Settings) parameter() string {
	return "/" + s.Name + "/base-url"
}
