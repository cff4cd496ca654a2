package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"governance.internal/shared/lint"
)

// napi is a key in the form that Neon gives out.
var napi = "na" + "pi_" + strings.Repeat("q7w3e9r1t5z8u2i4", 4)

// TestWhatMeasurementMissed holds documents that a measurement on configurations of others
// found unjudged or judged wrongly. Each wants one rule at one place.
func TestWhatMeasurementMissed(t *testing.T) {
	secret := "Zx8" + "kQ2mN7vB4cL1dF6gH9"
	for name, c := range map[string]struct {
		doc, rule, path string
	}{
		"env as a list of pairs":       {`{"mcpServers":{"a":{"command":"/opt/s","env":[{"name":"API_KEY","value":"SECRET"}]}}}`, "named-secret", "/mcpServers/a/env/0/value"},
		"headers as a list of pairs":   {`{"mcpServers":{"a":{"url":"https://a.tld/mcp","headers":[{"key":"X-API-Key","value":"SECRET"}]}}}`, "named-secret", "/mcpServers/a/headers/0/value"},
		"headers as a list of lines":   {`{"mcpServers":{"a":{"url":"https://a.tld/mcp","headers":["X-API-Key: SECRET"]}}}`, "named-secret", "/mcpServers/a/headers/0"},
		"a header as two words":        {`{"mcpServers":{"a":{"command":"/opt/s","args":["--header","X-API-Key:","SECRET"]}}}`, "secret-in-argv", "/mcpServers/a/args/2"},
		"a header as name and value":   {`{"mcpServers":{"a":{"command":"/opt/s","args":["--header","Authorization","Bearer SECRET"]}}}`, "secret-in-argv", "/mcpServers/a/args/2"},
		"a provider key as a word":     {`{"mcpServers":{"a":{"command":"/opt/s","args":["start","NAPI"]}}}`, "secret-in-argv", "/mcpServers/a/args/1"},
		"JSON within JSON in env":      {`{"mcpServers":{"a":{"command":"/opt/s","env":{"CONFIG":"{\"auth\":{\"inner\":\"{\\\"api_key\\\":\\\"SECRET\\\"}\"}}"}}}}`, "named-secret", "/mcpServers/a/env/CONFIG"},
		"JSON list in env":             {`{"mcpServers":{"a":{"command":"/opt/s","env":{"SERVERS":"[{\"password\":\"SECRET\"}]"}}}}`, "named-secret", "/mcpServers/a/env/SERVERS"},
		"JSON in an argument":          {`{"mcpServers":{"a":{"command":"/opt/s","args":["--config","{\"a\":{\"b\":{\"api_key\":\"SECRET\"}}}"]}}}`, "secret-in-argv", "/mcpServers/a/args/1"},
		"JSON behind an equals sign":   {`{"mcpServers":{"a":{"command":"/opt/s","args":["--config={\"api_key\":\"SECRET\"}"]}}}`, "secret-in-argv", "/mcpServers/a/args/0"},
		"verifySsl":                    {`{"mcpServers":{"a":{"url":"https://a.tld/mcp","verifySsl":false}}}`, "verification-off", "/mcpServers/a/verifySsl"},
		"rejectUnauthorized":           {`{"mcpServers":{"a":{"url":"https://a.tld/mcp","tls":{"rejectUnauthorized":false}}}}`, "verification-off", "/mcpServers/a/tls/rejectUnauthorized"},
		"insecureSkipVerify":           {`{"mcpServers":{"a":{"url":"https://a.tld/mcp","insecureSkipVerify":true}}}`, "verification-off", "/mcpServers/a/insecureSkipVerify"},
		"rejectUnauthorized in JSON":   {`{"mcpServers":{"a":{"command":"/opt/s","env":{"HTTPS_OPTIONS":"{\"rejectUnauthorized\":false}"}}}}`, "verification-off", "/mcpServers/a/env/HTTPS_OPTIONS"},
		"powers":                       {`{"powers":{"mcpServers":{"a":{"command":"/opt/s","env":{"API_KEY":"SECRET"}}}}}`, "named-secret", "/powers/mcpServers/a/env/API_KEY"},
		"a server without any field":   {`{"mcpServers":{"a":{}}}`, "not-understood", "/mcpServers/a"},
		"a server with a foreign one":  {`{"mcpServers":{"a":{"link":"https://a.tld/mcp"}}}`, "not-understood", "/mcpServers/a"},
		"a command that is no string":  {`{"mcpServers":{"a":{"command":42}}}`, "not-understood", "/mcpServers/a"},
		"an empty command":             {`{"mcpServers":{"a":{"command":""}}}`, "not-understood", "/mcpServers/a"},
		"args that are no list":        {`{"mcpServers":{"a":{"command":"/opt/s","args":{"0":"x"}}}}`, "not-understood", "/mcpServers/a/args"},
		"env that is no map":           {`{"mcpServers":{"a":{"command":"/opt/s","env":7}}}`, "not-understood", "/mcpServers/a/env"},
		"an env value that is no text": {`{"mcpServers":{"a":{"command":"/opt/s","env":{"A":["x"]}}}}`, "not-understood", "/mcpServers/a/env/A"},
	} {
		t.Run(name, func(t *testing.T) {
			doc := strings.NewReplacer("SECRET", secret, "NAPI", napi).Replace(c.doc)
			result, err := lint.Lint([]byte(doc))
			if err != nil {
				t.Fatal(err)
			}
			if len(result.Findings) != 1 || result.Findings[0].Rule != c.rule || result.Findings[0].Path != c.path {
				t.Fatalf("got %+v, want %s at %s", result.Findings, c.rule, c.path)
			}
			if result.Score >= 100 {
				t.Errorf("score %d", result.Score)
			}
		})
	}
}

// A repair needs every place, not the first of each rule.
func TestEveryPlaceOfASecretIsNamed(t *testing.T) {
	var env []string
	for i := range 10 {
		env = append(env, fmt.Sprintf(`"SERVICE_%d_API_KEY":"Zx8kQ2mN7vB4cL1dF6gH%d"`, i, i))
	}
	result, err := lint.Lint([]byte(`{"mcpServers":{"a":{"command":"/opt/s","env":{` + strings.Join(env, ",") + `}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, f := range result.Findings {
		seen[f.Path] = true
	}
	if len(seen) != 10 || result.Summary.Errors != 10 {
		t.Errorf("%d places named, %d errors counted, want 10: %+v", len(seen), result.Summary.Errors, result.Findings)
	}
}

// A leaked key is worse than a package without a version, and ten are worse than one.
func TestTheScoreFollowsTheRisk(t *testing.T) {
	leaks := func(n int) string {
		var env []string
		for i := range n {
			env = append(env, fmt.Sprintf(`"SERVICE_%d_API_KEY":"Zx8kQ2mN7vB4cL1dF6gH%d"`, i, i))
		}
		return `{"mcpServers":{"a":{"command":"/opt/s","env":{` + strings.Join(env, ",") + `}}}}`
	}
	unpinned := func(n int) string {
		var servers []string
		for i := range n {
			servers = append(servers, fmt.Sprintf(`"s%d":{"command":"npx","args":["-y","pkg-%d"]}`, i, i))
		}
		return `{"mcpServers":{` + strings.Join(servers, ",") + `}}`
	}
	ordered := []string{leaks(10), leaks(2), leaks(1), unpinned(40), unpinned(7), unpinned(1), `{"mcpServers":{"a":{"command":"/opt/s"}}}`}
	last := -1
	for _, doc := range ordered {
		result, err := lint.Lint([]byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		if result.Score < last || result.Score == last && result.Summary.Errors > 0 {
			t.Errorf("score %d after %d: %.60s", result.Score, last, doc)
		}
		last = result.Score
	}
}

// The findings of one answer are bounded; the summary and the score count all.
func TestTheAnswerIsBounded(t *testing.T) {
	var servers []string
	for i := range 900 {
		servers = append(servers, fmt.Sprintf(`"s%d":{"command":"npx","args":["p"]}`, i))
	}
	servers = append(servers, `"zz":{"command":"/opt/s","env":{"API_KEY":"Zx8kQ2mN7vB4cL1dF6gH9"}}`)
	result, err := lint.Lint([]byte(`{"mcpServers":{` + strings.Join(servers, ",") + `}}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Findings) != lint.MaxFindings || result.Summary.Omitted != 901-lint.MaxFindings || result.Summary.Warns != 900 || result.Summary.Errors != 1 {
		t.Errorf("%d findings, summary %+v", len(result.Findings), result.Summary)
	}
	if last := result.Findings[len(result.Findings)-1]; last.Severity != lint.Error {
		t.Errorf("the gravest finding was left out: %+v", last)
	}
}

func TestTheHintForTrustCanBeFollowed(t *testing.T) {
	result, err := lint.Lint([]byte(`{"mcpServers":{"a":{"command":"/opt/s","trust":true}}}`))
	if err != nil || len(result.Findings) != 1 {
		t.Fatalf("%+v, %v", result, err)
	}
	if hint := result.Findings[0].Hint; strings.Contains(hint, `"trust": [`) || !strings.Contains(hint, "trust") {
		t.Errorf("trust is a boolean; the hint says %q", hint)
	}
}

// Editors write comments and trailing commas; the endpoint wants JSON.
func TestJSONWithComments(t *testing.T) {
	doc := []byte("// a comment with \"quotes\"\n{\n  \"mcpServers\": { /* one,\n two */ \"a\": {\n    \"command\": \"npx\", // runner\n    \"args\": [\"-y\", \"https://x.tld//y\", \"pkg\",],\n  },\n  },\n}\n")
	result, err := lint.LintJSONC(doc)
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Findings) == 0 {
		t.Fatal("no finding")
	}
	for _, f := range result.Findings {
		if line, column := f.Position(); line != 5 && line != 4 && line != 6 || column < 1 {
			t.Errorf("%s at %d:%d", f.Rule, line, column)
		}
	}
	if _, err := lint.Lint(doc); err == nil {
		t.Error("the strict lint takes comments")
	}
	for _, broken := range []string{`{"a": 1 /* never closed`, `{,}`, `[,1]`, `{"a":1,,}`, `{"mcpServers":{}} // fine` + "\n{}", `{"a" /**/ 1}`} {
		if _, err := lint.LintJSONC([]byte(broken)); err == nil {
			t.Errorf("%q is taken", broken)
		}
	}
}
