package environment

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"governance.internal/shared/config"
)

const (
	secretARN    = "arn:aws:secretsmanager:us-east-1:000000000000:secret:Kill-x"
	parameterARN = "arn:aws:ssm:us-east-1:000000000000:parameter/governance/base-url"
)

// services answers like Secrets Manager and the parameter store for one value each.
func services(t *testing.T, secret, parameter string) func(string) (Account, error) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ SecretId, Name string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		switch operation := r.Header.Get("X-Amz-Target"); {
		case operation == "secretsmanager.GetSecretValue" && in.SecretId == secretARN:
			_ = json.NewEncoder(w).Encode(map[string]string{"SecretString": secret})
		case operation == "AmazonSSM.GetParameter" && in.Name == "/governance/base-url":
			_ = json.NewEncoder(w).Encode(map[string]any{"Parameter": map[string]string{"Value": parameter}})
		default:
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"__type":"AccessDeniedException"}`))
		}
	}))
	t.Cleanup(server.Close)
	return func(string) (Account, error) { return OpenAccount(server.URL) }
}

func from(environment map[string]string) config.Lookup {
	return func(name string) (string, bool) {
		value, ok := environment[name]
		return value, ok
	}
}

func TestReferencesAreReadAndPlainValuesStay(t *testing.T) {
	c, err := load(from(map[string]string{"KILL_SECRET": secretARN, "BASE_URL": parameterARN, "AUDIT_TABLE": "plain", "GAS_KEY_KMS": "arn:aws:kms:x"}),
		services(t, "hidden", "https://shop.example"))
	if err != nil || c.KillSecret != "hidden" || c.BaseURL != "https://shop.example" || c.AuditTable != "plain" || c.GasKeyKMS != "arn:aws:kms:x" {
		t.Errorf("%q %q %q %q (%v)", c.KillSecret, c.BaseURL, c.AuditTable, c.GasKeyKMS, err)
	}
}

func TestWithoutReferencesNoAccountIsNeeded(t *testing.T) {
	none := func(string) (Account, error) { return Account{}, errors.New("no account") }
	if c, err := load(from(map[string]string{"AUDIT_TABLE": "plain"}), none); err != nil || c.AuditTable != "plain" {
		t.Error(c.AuditTable, err)
	}
	if _, err := load(from(map[string]string{"KILL_SECRET": secretARN}), none); err == nil || !strings.Contains(err.Error(), "no account") {
		t.Error(err)
	}
}

// All that cannot be read is named at once, and what could be read is not quoted.
func TestReferencesThatLeadNowhereStopTheStart(t *testing.T) {
	_, err := load(from(map[string]string{"KILL_SECRET": secretARN + "-other", "GOV_API_TOKEN": secretARN, "BASE_URL": parameterARN}), services(t, "hidden", " "))
	if err == nil || !strings.Contains(err.Error(), "KILL_SECRET") || !strings.Contains(err.Error(), "BASE_URL") ||
		strings.Contains(err.Error(), "GOV_API_TOKEN") || strings.Contains(err.Error(), "hidden") {
		t.Error(err)
	}
}

// A value behind a reference is checked like any other.
func TestWhatAReferenceLeadsToMustBeWellFormed(t *testing.T) {
	_, err := load(from(map[string]string{"BASE_URL": parameterARN}), services(t, "", "shop.example"))
	if err == nil || !strings.Contains(err.Error(), "BASE_URL must start with") {
		t.Error(err)
	}
}
