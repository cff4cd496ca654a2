package main

import (
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

// Settings are what a deployment can be told: the context of the CDK, given as
// `-c name=value` or in cdk.json. The names are in the comments.
//
// Without any, the service runs on the test network and sells for test money.
type Settings struct {
	Name   string // name: first part of the names of all stacks. Default governance
	Stage  string // stage: tag env. Default: test or live, after the network
	Owner  string // owner: tag owner. Default: the name
	Region string // region: Default us-east-1
	Arch   string // arch: arm64 (default) or x86_64, for `sam local invoke` on such a laptop

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
	Budget     int    // budget: dollars a month. Default 50
	Retention  int    // retentionDays: for how long nobody can delete a sealed segment
	Workers    int    // workers: most concurrent runs of one function; 0 reserves none. Default 20

	WorkspaceFile string // workspaceFile: path of the governance.yaml that the tool server gets
	workspace     string // its text
	LLMAPI        string // llmApi: wire format of the model that dispatched agents ask: anthropic, openai or bedrock. Default: none
	LLMModel      string // llmModel: name of the model or of the inference profile
	LLMKey        string // llmKey: ARN of a secret with the provider's key

	Managed string // managed: what the kill switch stops elsewhere in the account, comma separated: ecs:CLUSTER/SERVICE, lambda:FUNCTION

	OriginCheck bool // originCheck: false lets requests past CloudFront, for a rotation of the secret
}

// chains are the networks that a deployment can settle on.
var chains = map[string]Settings{
	"base-sepolia": {
		Network: "eip155:84532", Stage: "test", Asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e", AssetName: "USDC",
		RPCURLs: "https://sepolia.base.org", Facilitator: "https://x402.org/facilitator",
		PayTo:     "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", // a key that everybody knows: worthless
		Retention: 1,
	},
	"base": {
		Network: "eip155:8453", Stage: "live", Asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", AssetName: "USD Coin",
		Facilitator: "none", Retention: 3650,
	},
}

// ReadSettings reads the context through a lookup that gives nil for what is not
// set. The error names everything that is missing or malformed at once.
func ReadSettings(lookup func(name string) any) (Settings, error) {
	get := func(name, fallback string) string {
		if value := lookup(name); value != nil {
			if text := strings.TrimSpace(fmt.Sprint(value)); text != "" {
				return text
			}
		}
		return fallback
	}
	network := get("network", "base-sepolia")
	chain, known := chains[network]
	name := get("name", "governance")
	s := Settings{
		Name: name, Stage: get("stage", chain.Stage), Owner: get("owner", name), Region: get("region", "us-east-1"), Arch: get("arch", "arm64"),
		Domain: get("domain", ""), Certificate: get("certificate", ""),
		Network: chain.Network, PayTo: get("payTo", chain.PayTo), Asset: get("asset", chain.Asset),
		AssetName: get("assetName", chain.AssetName), AssetVersion: get("assetVersion", "2"),
		RPCURLs: get("rpcUrls", chain.RPCURLs), Facilitator: get("facilitator", chain.Facilitator), CDPKeyID: get("cdpKeyId", ""), Signer: get("signer", ""),
		Tokens: get("facilitatorToken", "false") != "false", Certification: get("certificationId", ""),
		Telemetry: get("telemetry", ""), TelemetryLayer: get("telemetryLayer", ""), TelemetryHeaders: get("telemetryHeaders", ""), TelemetrySample: get("telemetrySample", "0.05"),
		AlarmsMail: get("alarmsMail", ""), Budget: number(get("budget", "50")),
		Retention: number(get("retentionDays", strconv.Itoa(chain.Retention))), Workers: number(get("workers", "20")),
		Managed:       get("managed", ""),
		WorkspaceFile: get("workspaceFile", ""), LLMAPI: get("llmApi", ""), LLMModel: get("llmModel", ""), LLMKey: get("llmKey", ""),
		OriginCheck: get("originCheck", "true") != "false",
	}
	if !known {
		return s, fmt.Errorf("context: network must be base-sepolia or base")
	}
	return s, errors.Join(s.readWorkspace(), s.check())
}

// workspaceMost fits a task definition, which has at most 64 KB.
const workspaceMost = 32 << 10

func (s *Settings) readWorkspace() error {
	if s.WorkspaceFile == "" {
		return nil
	}
	text, err := os.ReadFile(s.WorkspaceFile)
	if err != nil {
		return fmt.Errorf("context: workspaceFile: %w", err)
	}
	if len(text) > workspaceMost {
		return fmt.Errorf("context: workspaceFile has more than %d bytes", workspaceMost)
	}
	s.workspace = string(text)
	return nil
}

// tools is the environment of the tool server alone.
func (s Settings) tools() map[string]string {
	environment := map[string]string{"WORKSPACE": dataDir + "/workspace"}
	for name, value := range map[string]string{"WORKSPACE_FILE": s.workspace, "LLM_API": s.LLMAPI, "LLM_MODEL": s.LLMModel, "LLM_KEY": s.LLMKey} {
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

// managedPattern has no star: the kill switch may stop what is named and nothing else.
var managedPattern = regexp.MustCompile(`^(ecs:[\w-]+/[\w-]+|lambda:[\w-]+)(,(ecs:[\w-]+/[\w-]+|lambda:[\w-]+))*$`)

var namePattern = regexp.MustCompile(`^[a-z][a-z0-9-]{1,19}$`)

func (s Settings) check() error {
	var bad []string
	for _, field := range []struct{ name, value string }{{"payTo", s.PayTo}, {"rpcUrls", s.RPCURLs}, {"alarmsMail", s.AlarmsMail}} {
		if s.Network == chains["base"].Network && field.value == "" {
			bad = append(bad, "set "+field.name+": a service for real money needs it")
		}
	}
	for _, rule := range []struct {
		broken bool
		say    string
	}{
		{!namePattern.MatchString(s.Name), "name must have 2 to 20 lower-case letters, digits and hyphens"},
		{!slices.Contains([]string{"arm64", "x86_64"}, s.Arch), "arch must be arm64 or x86_64"},
		{s.Domain != "" && !strings.HasPrefix(s.Certificate, "arn:aws:acm:us-east-1:"), "set certificate to the ARN of the domain's certificate, in us-east-1 as CloudFront demands"},
		{strings.ContainsAny(s.Domain, "/:"), "domain must be a host name alone"},
		{s.AlarmsMail != "" && !strings.Contains(s.AlarmsMail, "@"), "alarmsMail must be a mail address"},
		{s.TelemetryLayer != "" && !strings.HasPrefix(s.TelemetryLayer, "arn:aws:lambda:"), "telemetryLayer must be the ARN of a version of a layer"},
		{s.TelemetryHeaders != "" && !strings.HasPrefix(s.TelemetryHeaders, "arn:aws:secretsmanager:"), "telemetryHeaders must be the ARN of a secret, so that no key stands in a template"},
		{s.Telemetry == "" && s.TelemetryLayer+s.TelemetryHeaders != "", "set telemetry: where to report is not said"},
		{s.Tokens && strings.Contains(s.Facilitator, cdpHost), "facilitatorToken is for facilitators other than Coinbase's, whose key is in the same secret"},
		{s.Budget <= 0, "budget must be a number of dollars"},
		{s.Workers < 0, "workers must be a number"},
		{s.LLMKey != "" && !strings.HasPrefix(s.LLMKey, "arn:aws:secretsmanager:"), "llmKey must be the ARN of a secret, so that no key stands in a template"},
		{(s.LLMAPI == "") != (s.LLMModel == ""), "set llmApi and llmModel, or neither"},
		{s.Managed != "" && !managedPattern.MatchString(s.Managed), "managed must be a list of ecs:CLUSTER/SERVICE and lambda:FUNCTION"},
		{strings.Contains(s.Facilitator, cdpHost) && s.CDPKeyID == "", "set cdpKeyId: Coinbase's facilitator needs an API key"},
	} {
		if rule.broken {
			bad = append(bad, rule.say)
		}
	}
	// What the functions would refuse at their start is refused here.
	environment := s.site()
	environment["RPC_URLS"], environment["FACILITATOR_URL"] = s.RPCURLs, s.facilitators()
	maps.Copy(environment, s.telemetry())
	environment["LLM_API"] = s.LLMAPI
	delete(environment, "OTEL_EXPORTER_OTLP_HEADERS") // a reference here
	environment["SEGMENT_BUCKET"], environment["SEGMENT_RETENTION_DAYS"] = "bucket", strconv.Itoa(s.Retention)
	if _, err := config.Load(func(name string) (string, bool) { value, ok := environment[name]; return value, ok }); err != nil {
		bad = append(bad, err.Error())
	}
	if len(bad) > 0 {
		return fmt.Errorf("context: %s", strings.Join(bad, "; "))
	}
	return nil
}

const cdpHost = "api.cdp.coinbase.com"

// facilitators is the list for the functions, "" for our own gas wallet.
func (s Settings) facilitators() string {
	if s.Facilitator == "none" {
		return ""
	}
	return s.Facilitator
}

// site is the environment of a function that only says what there is to buy.
func (s Settings) site() map[string]string {
	environment := map[string]string{
		"NETWORK": s.Network, "ASSET": s.Asset, "ASSET_NAME": s.AssetName, "ASSET_VERSION": s.AssetVersion, "PAY_TO": s.PayTo,
	}
	for name, value := range map[string]string{"SIGNER_ADDRESS": s.Signer, "FACILITATOR_URL": s.facilitators(), "CERTIFICATION_ID": s.Certification} {
		if value != "" {
			environment[name] = value
		}
	}
	return environment
}

// telemetry is the environment of whoever reports to a collector.
func (s Settings) telemetry() map[string]string {
	if s.Telemetry == "" {
		return nil
	}
	environment := map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": s.Telemetry, "OTEL_TRACES_SAMPLER_ARG": s.TelemetrySample}
	if s.TelemetryHeaders != "" {
		environment["OTEL_EXPORTER_OTLP_HEADERS"] = s.TelemetryHeaders
	}
	return environment
}

// parameter is the name of the SSM parameter that holds the base URL.
func (s Settings) parameter() string { return "/" + s.Name + "/base-url" }
