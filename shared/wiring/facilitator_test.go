package wiring

import (
	"strings"
	"testing"

	"governance.internal/shared/config"
	"governance.internal/shared/x402/facilitator"
)

// A facilitator needs no gas key, and a node all the same: its word is no proof.
func TestWhatMovingMoneyNeeds(t *testing.T) {
	for name, tc := range map[string]struct {
		config  config.Config
		missing string
	}{
		"own wallet":   {config.Config{}, "GAS_KEY_FILE, GAS_KEY_KMS or GAS_KEY, RPC_URLS, DATA_DIR"},
		"facilitator":  {config.Config{FacilitatorURLs: []string{"https://one.example"}}, "RPC_URLS, DATA_DIR"},
		"one with key": {config.Config{FacilitatorURLs: []string{"https://one.example", "https://" + facilitator.CDPHost + "/platform/v2/x402"}}, "CDP_KEY_ID, CDP_KEY_SECRET, RPC_URLS, DATA_DIR"},
	} {
		if err := needPaid(tc.config); err == nil || !strings.HasSuffix(err.Error(), "set "+tc.missing) {
			t.Errorf("%s: %v, want %s", name, err, tc.missing)
		}
	}
}

func TestABadPlatformKeyStopsTheStart(t *testing.T) {
	_, _, err := openFacilitator(config.Config{
		FacilitatorURLs: []string{"https://" + facilitator.CDPHost + "/platform/v2/x402"}, CDPKeyID: "id", CDPKeySecret: "hush",
	}, nil)
	if err == nil || !strings.Contains(err.Error(), "CDP_KEY_SECRET") || strings.Contains(err.Error(), "hush") {
		t.Errorf("%v", err)
	}
}

func TestFacilitatorsAreReplacedByNoWallet(t *testing.T) {
	settles, wallet, err := openFacilitator(config.Config{FacilitatorURLs: []string{"https://one.example"}, FacilitatorTokens: []string{"t"}}, nil)
	if _, ok := settles.(*facilitator.Remote); !ok || wallet != "" || err != nil {
		t.Errorf("%T, wallet %q, %v", settles, wallet, err)
	}
}
