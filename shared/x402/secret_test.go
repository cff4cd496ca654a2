package x402

import (
	"crypto/rand"
	"os"
	"strings"
	"testing"
)

func TestABodyIsASecretWhenItHoldsEnough(t *testing.T) {
	demo, err := os.ReadFile("../../testdata/lint/demo.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		body   string
		secret bool
	}{
		"nothing":             {"", false},
		"an empty object":     {"{}", false},
		"no servers":          {`{"mcpServers":{}}`, false},
		"a manual's example":  {`{"mcpServers":{"files":{"command":"npx","args":["-y","@modelcontextprotocol/server-filesystem","/"]}}}`, false},
		"long and empty":      {"{" + strings.Repeat(" ", 1<<20) + "}", false},
		"long repetition":     {`{"text":"` + strings.Repeat("all work and no play ", 10_000) + `"}`, false},
		"a random identifier": {`{"id":"` + rand.Text() + `"}`, false}, // the identifier of a payment is for that
		"a configuration":     {string(demo), true},
		"ten random texts":    {rand.Text() + rand.Text() + rand.Text() + rand.Text() + rand.Text() + rand.Text() + rand.Text() + rand.Text() + rand.Text() + rand.Text() + rand.Text(), true},
	} {
		if got := isSecret([]byte(tc.body)); got != tc.secret {
			t.Errorf("%s: secret %v", name, got)
		}
	}
}
