package lint_test

import (
	"testing"

	"governance.internal/shared/lint"
)

// TestRedactionKeepsNames checks that the redaction hides secrets and not the names people need: the
// fixed beginning of a token, the armour of a key and a plain word are no secrets.
func TestRedactionKeepsNames(t *testing.T) {
	for _, c := range []struct{ server, key, value string }{
		{"github", "GITHUB_TOKEN", fakes["@FINE@"]},
		{"github", "GITHUB_PERSONAL_ACCESS_TOKEN", "Bearer " + fakes["@FINE@"]},
		{"private-key", "SIGNING", "-----BEGIN PRIVATE" + " KEY-----\nMIIEpAIBAAKCAQEA7x9Kq2LmN8pRs4TuV6wYz\n-----END PRIVATE" + " KEY-----"},
		{"postgres", "POSTGRES_PASSWORD", "postgres"},
		{"slack-hooks", "HOOK", "https://hooks.slack" + ".com/services/T0A1B2C3D/B0A1B2C3D/q7Zt2Xw9Lk4Vn8Rb6Yh3Mc1J"},
	} {
		result, err := lint.Lint([]byte(`{"mcpServers":{"` + c.server + `":{"command":"x","env":{"` + c.key + `":` + quote(c.value) + `}}}}`))
		if err != nil || len(result.Findings) != 1 {
			t.Errorf("%s: %+v, %v", c.server, result, err)
			continue
		}
		if f := result.Findings[0]; f.Server != c.server || f.Path != "/mcpServers/"+c.server+"/env/"+c.key || f.Severity != lint.Error {
			t.Errorf("%+v", f)
		}
	}
}
