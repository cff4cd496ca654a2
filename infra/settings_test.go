package main

import (
	"strings"
	"testing"
)

func read(context map[string]string) (Settings, error) {
	return ReadSettings(func(name string) any {
		if value, ok := context[name]; ok {
			return value
		}
		return nil
	})
}

const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"

// A deployment without settings uses the test network, whose dollars are worth
// nothing, and no mistake about one setting changes that.
func TestTheDefaultsCannotTakeRealMoney(t *testing.T) {
	for _, context := range []map[string]string{nil, {"payTo": payTo}, {"domain": "shop.example", "certificate": "arn:aws:acm:us-east-1:1:certificate/x"}} {
		s, err := read(context)
		if err != nil || s.Network != "eip155:84532" || s.Asset != "0x036CbD53842c5426634e7929541eC2318f3dCF7e" || s.AssetName != "USDC" || s.Stage != "test" {
			t.Errorf("%v: %+v (%v)", context, s, err)
		}
	}
}

func TestARealServiceNamesAllThatIsMissing(t *testing.T) {
	_, err := read(map[string]string{"network": "base"})
	for _, name := range []string{"payTo", "rpcUrls", "alarmsMail"} {
		if err == nil || !strings.Contains(err.Error(), "set "+name) {
			t.Errorf("%s is not named: %v", name, err)
		}
	}
	s, err := read(map[string]string{"network": "base", "payTo": payTo, "rpcUrls": "https://node.example", "alarmsMail": "ops@shop.example"})
	if err != nil || s.Network != "eip155:8453" || s.facilitators() != "" || s.Retention != 3650 || s.PayTo != payTo {
		t.Errorf("%+v (%v)", s, err)
	}
	// The stage is a name and switches nothing off.
	if _, err := read(map[string]string{"network": "base", "stage": "test"}); err == nil || !strings.Contains(err.Error(), "set payTo") {
		t.Error(err)
	}
}

func TestBadSettingsAreNamedAtOnce(t *testing.T) {
	_, err := read(map[string]string{
		"name": "No Name", "arch": "mips", "domain": "https://x", "payTo": "me", "rpcUrls": "ftp://x", "budget": "much",
		"workers": "-1", "retentionDays": "x", "alarmsMail": "nobody", "facilitator": "http://far.example", "signer": "0x1", "managed": "ecs:*/queue",
		"llmApi": "magic", "llmKey": "secret", "workspaceFile": "nowhere.yaml",
		"telemetryLayer": "layer", "telemetryHeaders": "key=secret", "telemetrySample": "2",
	})
	for _, say := range []string{"name must", "arch must", "domain must", "set certificate", "PAY_TO must", "RPC_URLS must", "budget must",
		"workers must", "SEGMENT_RETENTION_DAYS must", "alarmsMail must", "FACILITATOR_URL must", "SIGNER_ADDRESS must",
		"telemetryLayer must", "telemetryHeaders must", "set telemetry", "managed must",
		"LLM_API must", "llmKey must", "set llmApi and llmModel", "workspaceFile"} {
		if err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%q is not said: %v", say, err)
		}
	}
	for _, context := range []map[string]string{{"network": "ethereum"}, {"facilitator": "https://" + cdpHost + "/platform/v2/x402"},
		{"facilitator": "https://" + cdpHost, "cdpKeyId": "id", "facilitatorToken": "true"}, {"telemetry": "localhost:4318"}, {"telemetry": "http://localhost:4318", "telemetrySample": "2"}} {
		if _, err := read(context); err == nil {
			t.Errorf("%v is accepted", context)
		}
	}
}
