package config

import (
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"
)

func from(environment map[string]string) Lookup {
	return func(name string) (string, bool) {
		value, ok := environment[name]
		return value, ok
	}
}

const address = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"

func TestTheEmptyEnvironmentIsLocalMode(t *testing.T) {
	want := Config{
		Network:         "eip155:8453",
		Asset:           "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
		AssetName:       "USD Coin",
		AssetVersion:    "2",
		GasFeeCap:       big.NewInt(2e9),
		WalletGasCap:    300_000,
		WastedGasBudget: 3_000_000,
		SegmentLockMode: "governance",
		Telemetry:       Telemetry{Ratio: 1},
	}
	for name, environment := range map[string]map[string]string{
		"nothing set": {}, "empty": {"NETWORK": "", "PAY_TO": "", "RPC_URLS": ""}, "blank": {"ASSET": "  ", "RPC_URLS": " , ,"},
	} {
		if got, err := Load(from(environment)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v (%v)", name, got, err)
		}
	}
}

func TestEveryVariableArrivesInItsField(t *testing.T) {
	got, err := Load(from(map[string]string{
		"BASE_URL": " https://shop.example// ", "NETWORK": "eip155:84532", "ASSET": "0x" + strings.Repeat("a", 40), "ASSET_NAME": "USDC",
		"ASSET_VERSION": "3", "PAY_TO": address, "RPC_URLS": "https://one.example, http://two.example:8545/key ,", "GAS_KEY_FILE": "gas.key",
		"DEVELOPMENT_CHAIN": "true", "WALLET_GAS_CAP": "250000", "WASTED_GAS_BUDGET": "7", "CONTRACT_WALLETS": "false",
		"ERC6492_FACTORIES": address + "," + address,
		"SIGNING_KEY_FILE":  "sign.key", "SIGNING_KEY": "digits", "ORIGIN_SECRET": "edge", "SIGNER_ADDRESS": address, "DATA_DIR": "data",
		"AUDIT_TABLE": "audit", "PAYMENTS_TABLE": "payments", "DYNAMODB_ENDPOINT": "http://127.0.0.1:8000",
		"GAS_KEY_KMS": "alias/gas", "GAS_FEE_CAP_GWEI": "0.25", "RESULT_BUCKET": "results", "S3_ENDPOINT": "http://127.0.0.1:9000",
		"FACILITATOR_URL": "https://one.example/x402, http://localhost:8402/facilitator", "FACILITATOR_TOKEN": ", token",
		"CHECKPOINT_KEY_FILE": "c.key", "CHECKPOINT_KEY_KMS": "alias/c", "CHECKPOINT_ORIGIN": "one.example/chain",
		"CHECKPOINT_DIR": "/mnt/c", "CHECKPOINT_MEMO_KEY_FILE": "memo.key", "CHECKPOINT_WITNESSES": "https://w.example/a key, http://localhost:1 b",
		"CDP_KEY_ID": "id", "CDP_KEY_SECRET": "key",
		"SEGMENT_BUCKET": "segments", "SEGMENT_RETENTION_DAYS": "400", "SEGMENT_LOCK_MODE": "compliance", "GAS_KEY": "digits",
		"CERTIFICATION_ID":            "cert-1",
		"MAX_CONNECTIONS":             "500",
		"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318/", "OTEL_EXPORTER_OTLP_HEADERS": "x-key=a%20b, y=1", "OTEL_SERVICE_NAME": "shop", "OTEL_TRACES_SAMPLER_ARG": "0.25",
		"GOV_API_TOKEN": "token", "KILL_SECRET": "secret", "GOV_TOOLSETS": "core, audit", "WORKSPACE": "project", "WORKSPACE_FILE": "version: 1", "GOV_READ_ONLY": "true", "GOV_PAID_TOOLS": "true", "STATE_TABLE": "state", "OAUTH_ISSUER": "https://login.example", "OAUTH_JWKS_URL": "https://login.example/keys", "OAUTH_AUDIENCE": "a, b", "OAUTH_SCOPE": "tools", "TASK_ADDRESS": "10.0.0.1:8402",
		"LLM_API": "anthropic", "LLM_MODEL": "model", "LLM_BASE_URL": "https://model.example/", "LLM_KEY": "key",
	}))
	want := Config{
		BaseURL: "https://shop.example", Network: "eip155:84532", Asset: "0x" + strings.Repeat("a", 40), AssetName: "USDC", AssetVersion: "3",
		PayTo: address, RPCURLs: []string{"https://one.example", "http://two.example:8545/key"}, GasKeyFile: "gas.key",
		DevelopmentChain: true, WalletGasCap: 250_000, WastedGasBudget: 7, NoContractWallets: true,
		ERC6492Factories: []string{address, address},
		SigningKeyFile:   "sign.key", SigningKey: "digits", OriginSecret: "edge", SignerAddress: address, DataDir: "data",
		AuditTable: "audit", PaymentsTable: "payments", DynamoDBEndpoint: "http://127.0.0.1:8000",
		GasKeyKMS: "alias/gas", GasFeeCap: big.NewInt(250_000_000), ResultBucket: "results", S3Endpoint: "http://127.0.0.1:9000",
		FacilitatorURLs: []string{"https://one.example/x402", "http://localhost:8402/facilitator"}, FacilitatorTokens: []string{"", "token"},
		CheckpointKeyFile: "c.key", CheckpointKeyKMS: "alias/c", CheckpointOrigin: "one.example/chain",
		CheckpointDir: "/mnt/c", CheckpointMemoKeyFile: "memo.key", CheckpointWitnesses: []string{"https://w.example/a key", "http://localhost:1 b"},
		CDPKeyID: "id", CDPKeySecret: "key",
		SegmentBucket: "segments", SegmentRetention: 400 * 24 * time.Hour, SegmentLockMode: "compliance", GasKey: "digits",
		CertificationID: "cert-1",
		MaxConnections:  500,
		Telemetry:       Telemetry{"http://localhost:4318", map[string]string{"x-key": "a b", "y": "1"}, "shop", 0.25},
		APIToken:        "token", KillSecret: "secret", Toolsets: []string{"core", "audit"}, Workspace: "project", WorkspaceFile: "version: 1", ReadOnly: true, PaidTools: true, StateTable: "state", OAuthIssuer: "https://login.example", OAuthKeys: "https://login.example/keys", OAuthAudiences: []string{"a", "b"}, OAuthScope: "tools", TaskAddress: "10.0.0.1:8402",
		LLM: LLM{"anthropic", "model", "https://model.example", "key"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v (%v)", got, err)
	}
	fields := reflect.ValueOf(got)
	for i := range fields.NumField() {
		if fields.Field(i).IsZero() {
			t.Errorf("%s is not covered here", fields.Type().Field(i).Name)
		}
	}
}

func TestAllMalformedValuesAreNamedAtOnceAndNotQuoted(t *testing.T) {
	_, err := Load(from(map[string]string{
		"BASE_URL": "shop-secret.example", "RPC_URLS": "https://one.example,wss://secret.example", "PAY_TO": "0xsecret", "ASSET": address[2:], "SIGNER_ADDRESS": address + "0",
		"DYNAMODB_ENDPOINT": "secret.example:8000", "S3_ENDPOINT": "secret.example:9000", "GAS_FEE_CAP_GWEI": "1e9",
		"ERC6492_FACTORIES": address + ",0xsecret", "SEGMENT_RETENTION_DAYS": "secret", "MAX_CONNECTIONS": "-1",
		"OTEL_EXPORTER_OTLP_ENDPOINT": "secret.example:4318", "OTEL_EXPORTER_OTLP_HEADERS": "x-key=a,secret", "OTEL_TRACES_SAMPLER_ARG": "1.1",
		"LLM_API": "secret", "LLM_BASE_URL": "http://secret.example",
	}))
	if err == nil {
		t.Fatal("accepted")
	}
	for _, name := range []string{"BASE_URL", "RPC_URLS", "PAY_TO", "ASSET", "SIGNER_ADDRESS", "DYNAMODB_ENDPOINT", "S3_ENDPOINT", "GAS_FEE_CAP_GWEI", "ERC6492_FACTORIES", "SEGMENT_RETENTION_DAYS", "MAX_CONNECTIONS",
		"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_TRACES_SAMPLER_ARG", "LLM_API", "LLM_BASE_URL"} {
		if strings.Count(err.Error(), " "+name+" ") != 1 {
			t.Errorf("%s is not named once: %v", name, err)
		}
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("a value is quoted: %v", err)
	}
	for name, value := range map[string]string{
		"BASE_URL": "ftp://shop.example", "RPC_URLS": "http://", "PAY_TO": "0x" + strings.Repeat("g", 40), "ASSET": "0X" + strings.Repeat("a", 40),
		"OTEL_TRACES_SAMPLER_ARG": "NaN", "OTEL_EXPORTER_OTLP_HEADERS": "x=%zz",
	} {
		if _, err := Load(from(map[string]string{name: value})); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
}

func TestAllMissingSettingsAreNamedAtOnce(t *testing.T) {
	if err := Need(Setting{"PAY_TO", "x"}); err != nil {
		t.Error(err)
	}
	err := Need(Setting{"PAY_TO", ""}, Setting{"DATA_DIR", "x"}, Setting{"RPC_URLS", ""})
	if err == nil || !strings.Contains(err.Error(), "set PAY_TO, RPC_URLS") || strings.Contains(err.Error(), "DATA_DIR") {
		t.Errorf("error %v", err)
	}
}

// Payments and tokens never cross the network in the open.
func TestFacilitatorAddressesAreSecretOrLocal(t *testing.T) {
	for address, good := range map[string]bool{
		"https://one.example/x402": true, "http://localhost:8402/facilitator": true, "http://127.0.0.1:1": true, "http://[::1]:1": true,
		"http://one.example": false, "http://10.0.0.1": false, "ftp://localhost": false, "one.example": false, "https://": false,
	} {
		if _, err := Load(from(map[string]string{"FACILITATOR_URL": address})); (err == nil) != good || err != nil && !strings.Contains(err.Error(), "FACILITATOR_URL") {
			t.Errorf("%s: %v", address, err)
		}
	}
	if _, err := Load(from(map[string]string{"FACILITATOR_URL": "https://one.example", "FACILITATOR_TOKEN": "a,secret"})); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a token without an address: %v", err)
	}
}

// A lock is either configured completely or refused with the reason.
func TestARetentionIsOfABucketAndHasABound(t *testing.T) {
	for value, good := range map[string]bool{"0": true, "1": true, "36500": true, "36501": false, "-1": false, "1.5": false, "99999999999999999999": false} {
		if _, err := Load(from(map[string]string{"SEGMENT_BUCKET": "b", "SEGMENT_RETENTION_DAYS": value})); (err == nil) != good {
			t.Errorf("%s: %v", value, err)
		}
	}
	if _, err := Load(from(map[string]string{"SEGMENT_RETENTION_DAYS": "1"})); err == nil || !strings.Contains(err.Error(), "SEGMENT_BUCKET") {
		t.Errorf("without a bucket: %v", err)
	}
}

// A cap of nothing would let every payment wait for ever; it is not "no cap".
func TestAFeeCapOfNothingIsRefused(t *testing.T) {
	for value, fits := range map[string]bool{"0": false, "0.0": false, "0.000000000": false, "0.000000001": true} {
		_, err := Load(func(name string) (string, bool) { return value, name == "GAS_FEE_CAP_GWEI" })
		if (err == nil) != fits {
			t.Errorf("%s: %v", value, err)
		}
	}
}
