package lint_test

import (
	"strings"
	"testing"

	"governance.internal/shared/lint"
)

// Each repair changes one value, keeps every other byte, and removes its finding.
func TestFixChangesOneValueAndNothingElse(t *testing.T) {
	for name, c := range map[string]struct{ rule, from, to string }{
		"trust":               {"approve-everything", `"trust": true`, `"trust": false`},
		"variable":            {"verification-off", `"env": {"NODE_TLS_REJECT_UNAUTHORIZED": "0"}`, `"env": {"NODE_TLS_REJECT_UNAUTHORIZED": "1"}`},
		"inverted variable":   {"verification-off", `"env": {"GIT_SSL_NO_VERIFY": "true"}`, `"env": {"GIT_SSL_NO_VERIFY": "false"}`},
		"switch":              {"verification-off", `"tls": {"rejectUnauthorized": false}`, `"tls": {"rejectUnauthorized": true}`},
		"vulnerable version":  {"vulnerable-package", `"args": ["-y", "mcp-remote@0.1.10"]`, `"args": ["-y", "mcp-remote@0.1.16"]`},
		"vulnerable in glued": {"vulnerable-package", `"args": ["--package=mcp-remote@0.1.10", "x"]`, `"args": ["--package=mcp-remote@0.1.16", "x"]`},
	} {
		t.Run(name, func(t *testing.T) {
			frame := "\xef\xbb\xbf// kept\r\n{\"mcpServers\": {\r\n\t\"a\": {\"command\": \"npx\", VALUE, /* kept */ \"timeout\": 5,},\r\n},}\r\n"
			doc := strings.Replace(frame, "VALUE", c.from, 1)
			fixed, repairs, err := lint.Fix([]byte(doc))
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.Replace(frame, "VALUE", c.to, 1); string(fixed) != want {
				t.Errorf("got\n%q\nwant\n%q", fixed, want)
			}
			if len(repairs) != 1 || repairs[0].Rule != c.rule || repairs[0].Line != 3 {
				t.Errorf("%+v", repairs)
			}
			result, err := lint.LintJSONC(fixed)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range result.Findings {
				if f.Rule == c.rule {
					t.Errorf("still there: %+v", f)
				}
			}
			again, repairs, err := lint.Fix(fixed)
			if err != nil || len(repairs) != 0 || string(again) != string(fixed) {
				t.Errorf("the second run changed %+v (%v)", repairs, err)
			}
		})
	}
}

func TestFixPublishesOnThisMachineAlone(t *testing.T) {
	doc := `{"command":"docker","args":["run","-p","8080:80","-p8081:81/udp","--publish=0.0.0.0:8082:82","-p","83","img@sha256:` + strings.Repeat("0", 64) + `"]}`
	fixed, repairs, err := lint.Fix([]byte(doc))
	want := strings.NewReplacer(`"8080:80"`, `"127.0.0.1:8080:80"`, "-p8081", "-p127.0.0.1:8081", "0.0.0.0:8082", "127.0.0.1:8082").Replace(doc)
	if err != nil || string(fixed) != want || len(repairs) != 3 {
		t.Errorf("%s (%v, %v)", fixed, repairs, err)
	}
}

// A finding with more than one fix, or within a longer command line, is not fixed.
func TestFixLeavesWhatNeedsADecision(t *testing.T) {
	for _, doc := range []string{
		`{"command":"npx","args":["-y","pkg"]}`,
		`{"command":"x","env":{"API_KEY":"Zx8kQ2mN7vB4cL1dF6gH9"}}`,
		`{"command":"npx -y mcp-remote@0.1.10 https://a.tld/mcp"}`,
		`{"command":"sh","args":["-c","NODE_TLS_REJECT_UNAUTHORIZED=0 npx pkg@1.2.3"]}`,
		`{"command":"x","alwaysAllow":["*"]}`,
		`{"url":"http://a.tld/mcp"}`,
	} {
		fixed, repairs, err := lint.Fix([]byte(doc))
		if err != nil || string(fixed) != doc || len(repairs) != 0 {
			t.Errorf("%s became %s (%v, %v)", doc, fixed, repairs, err)
		}
	}
	if _, _, err := lint.Fix([]byte("{")); err == nil {
		t.Error("a broken document is taken")
	}
}
