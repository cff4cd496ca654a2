package secretscan_test

import (
	"strings"
	"testing"

	"governance.internal/shared/secretscan"
)

// Tokens are put together at run time so that no file of the repository holds one.
var tokens = map[string][]string{
	"github-token":              {"ghp" + "_x7Kq2LmN9pRs4TuV6wYz8AbC1dEf3GhJ5kMn", "ghs" + "_x7Kq2LmN9pRs4TuV6wYz8AbC1dEf3GhJ5kMn"},
	"github-fine-grained-token": {"github" + "_pat_11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuVwXyZ0123456789"},
	"gitlab-token":              {"glpat" + "-x7Kq2LmN9pRs4TuV6wYz"},
	"anthropic-key":             {"sk-" + "ant-api03-x7Kq2LmN9pRs4TuV6wYz8AbC1dEf"},
	"openai-key":                {"sk-" + "proj-x7Kq2LmN9pRs4TuV6wYz8AbC1dEf"},
	"openrouter-key":            {"sk-" + "or-v1-9f2c4e6a8b1d3f5c7e9a0b2d4f6c8e1a3b5d7f90"},
	"secret-key":                {"sk-" + "x7Kq2LmN9pRs4TuV6wYz8AbC1dEf3GhJ", "sk-" + "user-n4FzmAcZEdUWuwzxd3nFhF7X8wv_H"},
	"stripe-key":                {"sk" + "_live_9Kq2LmN8pRs4TuV6wYz7AbC1", "rk" + "_test_9Kq2LmN8pRs4TuV6wYz7AbC1"},
	"aws-access-key":            {"AK" + "IAZ7Q4X2M8K5P3R9T6", "AS" + "IAZ7Q4X2M8K5P3R9T6"},
	"google-api-key":            {"AI" + "zaSyB7Kq2LmN9pRs4TuV6wYz8AbC1dEf3GhJ5k", "AQ" + ".Gt3GN1SX3JKtFG-6nr3vMTXexSVwh9R8Pm4ZDKJXY2qMFTJ0DL"},
	"slack-token":               {"xo" + "xb-2847561930-5839201746-Kq2LmN9pRs4TuV6wYz8AbC1d"},
	"telegram-bot-token":        {"7483920156" + ":AAx7Kq2LmN9pRs4TuV6wYz8AbC1dEf3GhJ5"},
	"notion-token":              {"nt" + "n_58392017465Kq2LmN9pRs4TuV6wYz8AbC1dEf3Gh"},
	"figma-token":               {"fi" + "gd_x7Kq2LmN9pRs4TuV6wYz8AbC1dEf3GhJ5kMn"},
	"hugging-face-token":        {"h" + "f_xKqLmNpRsTuVwYzAbCdEfGhJkMnPqRsTuV"},
	"npm-token":                 {"np" + "m_x7Kq2LmN9pRs4TuV6wYz8AbC1dEf3GhJ5kMn"},
	"tavily-key":                {"tv" + "ly-dev-x7Kq2LmN9pRs4TuV6wYz8AbC1dEf"},
	"groq-key":                  {"gs" + "k_x7Kq2LmN9pRs4TuV6wYz8AbC1dEf3GhJ5kMnx7Kq2LmN9pRs4"},
	"atlassian-token":           {"AT" + "ATT3xFfGF0x7Kq2LmN9pRs4TuV6wYz8AbC1dEf3GhJ5kMnx7Kq2LmN9pRs4=1A2B"},
	"json-web-token":            {"ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiI5ODc2NTQzMjEiLCJyb2xlIjoic2VydmljZV9yb2xlIn0.Kq2LmN9pRs4TuV6wYz8AbC1dEf3GhJ5kMnQ"},
	"azure-storage-key":         {"Account" + "Key=x7Kq2LmN9pRs4TuV6wYz8AbC1dEf3GhJ5kMnx7Kq2LmN9pRs4TuV6wYz8A=="},
	"private-key":               {"-----BEGIN OPENSSH PRIVATE" + " KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAA\n-----END OPENSSH PRIVATE" + " KEY-----"},
}

func TestScanFindsTokens(t *testing.T) {
	for provider, list := range tokens {
		for _, token := range list {
			for _, text := range []string{token, "Bearer " + token, `{"k":"` + token + `"}`, "a=" + token + ";", token + " ${X}", "export T='" + token + "'"} {
				found := secretscan.Scan(text)
				if len(found) != 1 || found[0].Provider != provider || !strings.Contains(token, text[found[0].Start:found[0].End]) || found[0].Public > found[0].End-found[0].Start {
					t.Errorf("%s: %+v in %q", provider, found, text)
				}
				if secretscan.Placeholder(text) {
					t.Errorf("%s: a placeholder: %q", provider, text)
				}
			}
		}
	}
}

// TestScanFindsAll checks that one token does not hide the next.
func TestScanFindsAll(t *testing.T) {
	text, want := "", 0
	for _, list := range tokens {
		for _, token := range list {
			text += " " + token + "\n"
			want++
		}
	}
	if found := secretscan.Scan(text); len(found) != want {
		t.Errorf("%d of %d: %+v", len(found), want, found)
	}
}

func TestScanLeavesAlone(t *testing.T) {
	for _, text := range []string{
		"", "x", "ghp_your_token_here", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "sk-your-openai-api-key-goes-here", "sk-...", "ntn_****",
		"AKIAIOSFODNN7EXAMPLE", "sk-put-the-key-of-the-team-in-here", "task-management-server-for-everyone", "risk-assessment-tool-for-projects",
		"https://example.com/a?b=c", "postgres://user:password@localhost/db", "postgres://localhost:5432/db", "https://host:8080/p@v1", "a-very-long-kebab-case-name-without-any-secret",
		"-----BEGIN CERTIFICATE-----\nMIIEpAIBAAKCAQEA7x9K\n-----END CERTIFICATE-----", "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----", "9f2c4e6a8b1d3f5c7e9a0b2d4f6c8e1a3b5d7f90",
	} {
		if found := secretscan.Scan(text); len(found) != 0 {
			t.Errorf("%+v in %q", found, text)
		}
	}
}

func TestPlaceholder(t *testing.T) {
	for _, text := range []string{
		"", " ", "${X}", "${X:-}", "${X:-your-key}", "${X:?missing}", "${env:X}", "${input:api-key}", "$X", "$env:X", "%X%", "{{x}}", "{{ secrets.X }}", "${{ secrets.X }}", "{X}", "<x>", "<your key>", "[YOUR_KEY]", "__X__",
		"$(cat /run/secret)", "`pass show x`", "op://vault/item/field", "vault:secret/x#y", "env:X", "process.env.X",
		"YOUR_API_KEY", "your-api-key-here", "yourApiKey", "changeme", "change-me", "CHANGE_ME", "replace this", "example", "dummy", "placeholder", "TODO", "xxxx", "xxxxxxxx", "***", "...", "sk-...", "sk-xxxxxxxx", "aaaa", "API_KEY", "MY_TOKEN_NAME",
		"api-key", "my-secret-key", "token", "password", "none", "null", "true", "not-needed", "ollama", "/run/secrets/x", "./key.pem", "~/key", `C:\key.pem`, "key.pem", "Bearer ${X}", "Bearer <token>", "Bearer", "${A}:${B}", "app-${X}", "enter-your-key",
	} {
		if !secretscan.Placeholder(text) {
			t.Errorf("not a placeholder: %q", text)
		}
	}
	for _, text := range []string{
		"hunter2", "ras", "S3cr3tPw9", "pa$word9", "postgres", "q7Zt2Xw9Lk4Vn8Rb", "${X:-hunter2}", "${A:-${B:-hunter2}}", "${X:-postgres}", "hunter2x ${X}", "q7Zt2Xw9Lk4Vn8Rb ${X}", "${X}q7Zt2Xw9Lk4Vn8Rb", "Bearer q7Zt2Xw9Lk4V",
		"9f2c4e6a8b1d3f5c7e9a0b2d4f6c8e1a", "your q7Zt2Xw9Lk4Vn8Rb6Yh3Mc1J", "correct-horse-7", "1234567890",
	} {
		if secretscan.Placeholder(text) {
			t.Errorf("a placeholder: %q", text)
		}
	}
}

func TestSecretName(t *testing.T) {
	for _, name := range []string{"API_KEY", "apiKey", "APIKey", "X-API-Key", "GITHUB_TOKEN", "githubToken", "authtoken", "ACCESS_TOKEN_2", "SECRET", "client_secret", "clientSecret", "DB_PASSWORD", "dbPassword", "PGPASSWORD", "MYSQL_PWD", "DB_PASS",
		"JIRA_PAT", "CREDENTIALS", "Authorization", "Cookie", "WALLET_SEED", "MNEMONIC", "SEED_PHRASE", "API_KEYS", "ACCESS_TOKENS", "BASIC_AUTH", "PRIVATE_KEY", "ENCRYPTION_KEY", "key", "token", "--api-key", "jwt"} {
		if !secretscan.SecretName(name) {
			t.Errorf("%s is no secret name", name)
		}
	}
	for _, name := range []string{"", "MAX_TOKENS", "TOKEN_FILE", "TOKEN_PATH", "TOKEN_URL", "TOKEN_LIMIT", "TOKEN_TYPE", "KEY_ID", "KEY_NAME", "KEY_FILE", "PUBLIC_KEY", "TOKENIZERS_PARALLELISM", "KEYBOARD", "AUTH_TYPE", "SORT_KEY", "ENCRYPT_KEYS",
		"PWD", "EOS_TOKEN", "MONKEY", "HOTKEY_NAME", "BYPASS", "RANDOM_SEED", "LOG_LEVEL", "project_ref", "passenger", "compass", "tokens", "keys", "AWS_ACCESS_KEY_ID", "path", "cookies_enabled"} {
		if secretscan.SecretName(name) {
			t.Errorf("%s is a secret name", name)
		}
	}
}

func TestEntropyMilli(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a": 0, "aaaa": 0, "ab": 1000, "abcd": 2000, "aabb": 1000, "abcdefgh": 3000, "0123456789abcdef": 4000, "aab": 918, "aaab": 811} {
		if got := secretscan.EntropyMilli(text); got < want-1 || got > want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestOpaque(t *testing.T) {
	if !secretscan.Opaque("q7Zt2Xw9Lk4Vn8Rb6Yh3Mc1J" + "sD5fG0pAeUoIiTrW") {
		t.Error("a generated value is not opaque")
	}
	for _, text := range []string{"7f3b9c2e-4d1a-4b8e-9f6c-2a5d8e1b3c7f", "9f2c4e6a8b1d3f5c7e9a0b2d4f6c8e1a3b5d7f90", "AgentMesh-Governance-Policy-V2-Production-East1-Long", "/Users/me/Projects/MyApp2/src/Main/App.tsx", "one, two, three, four, five, six, seven"} {
		if secretscan.Opaque(text) {
			t.Errorf("opaque: %q", text)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, list := range tokens {
		f.Add(list[0])
	}
	f.Add("${A:-${B:-$(c)}} %D% {{e}} <f> postgres://a:b/c@d Password=x;")
	f.Fuzz(func(t *testing.T, value string) {
		last := 0
		for _, m := range secretscan.Scan(value) {
			if m.Start < last || m.End < m.Start || m.End > len(value) || m.Public > m.End-m.Start {
				t.Fatalf("%+v", m)
			}
			last = m.End
		}
		secretscan.Placeholder(value)
		secretscan.SecretName(value)
		secretscan.Opaque(value)
	})
}

// TestPublicPart checks that only the mark at the beginning of a token counts as public: a Discord
// token may have the mark of another bot in its middle.
func TestPublicPart(t *testing.T) {
	token := "Nz" + "I4ODkxMDIzNDU2Nzg5MT" + "ExMg.GaBcDe.q7Zt2Xw9Lk4Vn8Rb6Yh3Mc1JsD5fG0"
	found := secretscan.Scan(token)
	if len(found) != 1 || found[0].Provider != "discord-bot-token" || found[0].Public != 2 {
		t.Errorf("%+v", found)
	}
}
