package secretscan

import (
	"strings"
	"sync"
)

// provider is one token format. A token begins with one of the marks, which are literal texts of
// at least two characters. The pattern of the rest is tried only after a mark.
type provider struct {
	name    string
	marks   []string
	pattern func() pattern
	digits  int  // max decimal digits before the mark with which the token begins
	run     bool // a failure holds for every later mark in the same run of characters
}

// token declares a provider.
func token(name, rest string, marks ...string) provider {
	return provider{
		name:  name,
		marks: marks,
		pattern: sync.OnceValue(func() pattern {
			return compile(rest)
		}),
	}
}

var marks = sync.OnceValue(func() *wordIndex {
	index := newWordIndex()
	for i := range providers {
		for _, text := range providers[i].marks {
			index.add(text, i)
		}
	}
	return index
})

// longestToken bounds one match. PEM keys, which are longer, are found by their armour.
const longestToken = 4096

// scanProviders tries each pattern after its marks. Text that a pattern matched, as a token or as
// an example of one, is not tried again with the same pattern.
func scanProviders(value string) []Match {
	index := marks()
	var found []Match
	var covered []int // by provider
	for i := 0; i+1 < len(value); i++ {
		if !index.begins(value, i) {
			continue
		}
		for _, m := range index.words(value, i) {
			if !strings.HasPrefix(value[i:], m.text) || covered != nil && i < covered[m.owner] {
				continue
			}
			if covered == nil {
				covered = make([]int, len(providers))
			}

			match, ok := providers[m.owner].at(value, i, len(m.text))
			if !ok {
				if providers[m.owner].run {
					covered[m.owner] = endOfRun(value, i)
				}
				continue
			}

			covered[m.owner] = match.End
			if credible(value[match.Start:match.End]) {
				found = append(found, match)
			}
		}
	}

	return found
}

// endOfRun returns the end of the run of token characters at i.
func endOfRun(value string, i int) int {
	for i < len(value) && (isWordByte(value[i]) || value[i] == '_' || value[i] == '-') {
		i++
	}
	return i
}

// at tries the pattern after the mark at i. A token does not begin in the middle of a word.
func (p *provider) at(value string, i, mark int) (Match, bool) {
	start := p.start(value, i)
	if start > 0 && isWordByte(value[start-1]) {
		return Match{}, false
	}
	if p.digits > 0 && i-start < minDigits {
		return Match{}, false
	}

	rest := i + mark
	limit := min(len(value), start+longestToken)
	size := p.pattern().match(value[rest:max(rest, limit)])
	if size < 0 {
		return Match{}, false
	}

	return Match{
		Provider: p.name,
		Start:    start,
		End:      rest + size,
		Public:   rest - start,
	}, true
}

// start returns where a token with its mark at i begins: at the digits before the mark.
func (p *provider) start(value string, i int) int {
	start := i
	for start > 0 && i-start < p.digits && isDigit(value[start-1]) {
		start--
	}
	return start
}

// minDigits is the length of the shortest number of a Telegram bot.
const minDigits = 8

// credible rejects texts that have a provider's shape but are examples or masks.
func credible(match string) bool {
	if distinctBytes(match) < 9 ||
		placeholderWord(match) ||
		strings.Contains(match, "xxxx") ||
		strings.Contains(match, "XXXX") {
		return false
	}
	if strings.HasPrefix(match, "eyJ") {
		return !publishedToken(match)
	}
	// Short runs without a single digit are words: sk-put-the-key-of-the-team-in.
	return strings.ContainsAny(match, "0123456789") || longestRun(match) >= 16
}

// longestRun is the length of the longest run of letters and digits.
func longestRun(s string) int {
	run, longest := 0, 0
	for i := 0; i < len(s); i++ {
		if run++; !isWordByte(s[i]) {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// providers is the table of token formats, most of them documented by their issuers. Lengths are
// lower bounds: issuers lengthen tokens, and after a fixed prefix a shorter bound costs nothing. The
// pattern matches the text after the mark.
var providers = []provider{
	token("github-token", `[A-Za-z0-9]{30,255}`, "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
	token("github-fine-grained-token", `[A-Za-z0-9_]{36,255}`, "github_pat_"),
	token("gitlab-token", `[A-Za-z0-9_-]{20,}`, "glpat-", "gldt-", "glrt-", "glptt-", "glagent-", "gloas-", "glcbt-", "glft-", "glsoat-"),
	token("anthropic-key", `[A-Za-z0-9_-]{20,}`, "sk-ant-"),
	token("openrouter-key", `[0-9a-f]{32,}`, "sk-or-v1-"),
	token("openai-key", `[A-Za-z0-9_-]{20,}`, "sk-proj-", "sk-svcacct-", "sk-admin-"),
	token("secret-key", `[A-Za-z0-9_-]{20,}`, "sk-"),
	token("stripe-key", `[A-Za-z0-9]{16,}`, "sk_live_", "sk_test_", "rk_live_", "rk_test_"),
	token("stripe-webhook-secret", `[A-Za-z0-9+/=]{24,}`, "whsec_"),
	token("aws-access-key", `[A-Z0-9]{16}`, "AKIA", "ASIA", "ABIA", "ACCA"),
	token("google-api-key", `[A-Za-z0-9_-]{30,}`, "AIza"),
	token("google-api-key", `[A-Za-z0-9_-]{30,}`, "AQ."),
	token("google-oauth-secret", `[A-Za-z0-9_-]{20,}`, "GOCSPX-"),
	token("google-oauth-token", `[A-Za-z0-9_-]{20,}`, "ya29."),
	token("slack-token", `[A-Za-z0-9-]{10,}`, "xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"),
	token("slack-app-token", `[0-9]-[A-Za-z0-9-]{10,}`, "xapp-"),
	token("slack-webhook", `[A-Za-z0-9]{6,}/[A-Za-z0-9]{6,}/[A-Za-z0-9/]{10,}`, "hooks.slack.com/services/", "hooks.slack.com/workflows/"),
	token("discord-webhook", `[0-9]{10,}/[A-Za-z0-9_-]{30,}`, "discord.com/api/webhooks/", "discordapp.com/api/webhooks/"),
	token("discord-bot-token", `[A-Za-z0-9_-]{22,26}.[A-Za-z0-9_-]{6}.[A-Za-z0-9_-]{27,}`, "MD", "MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT", "Oj", "Oz"),
	{name: "telegram-bot-token", marks: []string{":A"}, digits: 10, pattern: token("", `[A-Za-z0-9_-]{34}`).pattern},
	token("notion-token", `[A-Za-z0-9]{30,}`, "ntn_"),
	token("notion-token", `[A-Za-z0-9]{40,}`, "secret_"),
	token("figma-token", `[A-Za-z0-9_-]{20,}`, "figd_", "figo_", "figu_"),
	token("linear-key", `[A-Za-z0-9]{30,}`, "lin_api_", "lin_oauth_"),
	token("hugging-face-token", `[A-Za-z0-9]{30,}`, "hf_"),
	token("npm-token", `[A-Za-z0-9]{30,}`, "npm_"),
	token("pypi-token", `[A-Za-z0-9_-]{50,}`, "pypi-"),
	token("sendgrid-key", `[A-Za-z0-9_-]{16,}.[A-Za-z0-9_-]{16,}`, "SG."),
	token("twilio-key", `[0-9a-f]{32}`, "SK"),
	token("mailgun-key", `[0-9a-f]{32}`, "key-"),
	token("digitalocean-token", `[0-9a-f]{60,}`, "dop_v1_", "doo_v1_", "dor_v1_"),
	token("supabase-token", `[A-Za-z0-9_-]{20,}`, "sbp_", "sb_secret_"),
	token("databricks-token", `[0-9a-f]{32}`, "dapi"),
	token("shopify-token", `[0-9a-fA-F]{30,}`, "shpat_", "shpca_", "shppa_", "shpss_"),
	token("square-token", `[A-Za-z0-9_-]{20,}`, "sq0csp-", "sq0atp-"),
	token("airtable-token", `[A-Za-z0-9]{14}.[0-9a-f]{60,}`, "pat"),
	token("tavily-key", `[A-Za-z0-9-]{20,}`, "tvly-"),
	token("perplexity-key", `[A-Za-z0-9]{30,}`, "pplx-"),
	token("groq-key", `[A-Za-z0-9]{30,}`, "gsk_"),
	token("xai-key", `[A-Za-z0-9]{40,}`, "xai-"),
	token("replicate-token", `[A-Za-z0-9]{30,}`, "r8_"),
	token("firecrawl-key", `[0-9a-f]{32}`, "fc-"),
	token("brave-key", `[A-Za-z0-9_-]{24,}`, "BSA"),
	token("apify-token", `[A-Za-z0-9]{30,}`, "apify_api_"),
	token("postman-key", `[0-9a-f]{24}-[0-9a-f]{30,}`, "PMAK-"),
	token("new-relic-key", `[A-Z0-9]{25,}`, "NRAK-"),
	token("grafana-token", `[A-Za-z0-9]{30,}_[0-9a-f]{8}`, "glsa_"),
	token("grafana-token", `[A-Za-z0-9+/=]{30,}`, "glc_"),
	token("doppler-token", `[A-Za-z0-9_.-]{30,}`, "dp.pt.", "dp.st.", "dp.ct.", "dp.sa."),
	token("atlassian-token", `[A-Za-z0-9_=-]{40,}`, "ATATT3", "ATCTT3"),
	token("vault-token", `[A-Za-z0-9_-]{20,}`, "hvs.", "hvb."),
	token("docker-hub-token", `[A-Za-z0-9_-]{20,}`, "dckr_pat_", "dckr_oat_"),
	token("azure-storage-key", `[A-Za-z0-9+/]{40,}={0,2}`, "AccountKey=", "SharedAccessKey="),
	token("sentry-token", `[A-Za-z0-9+/=_-]{30,}`, "sntrys_", "sntryu_"),
	token("planetscale-token", `[A-Za-z0-9_.-]{30,}`, "pscale_tkn_", "pscale_pw_", "pscale_oauth_"),
	token("pinecone-key", `[A-Za-z0-9_]{30,}`, "pcsk_"),
	token("resend-key", `[A-Za-z0-9]{8,}_[A-Za-z0-9]{20,}`, "re_"),
	token("heroku-key", `[A-Za-z0-9_-]{30,}`, "HRKU-"),
	token("elevenlabs-key", `[0-9a-f]{40,}`, "sk_"),
	token("clickup-token", `[0-9]{6,}_[A-Z0-9]{30,}`, "pk_"),
	token("1password-token", `[A-Za-z0-9+/=_-]{40,}`, "ops_eyJ"),
	token("neon-key", `[a-z0-9]{40,}`, "napi_"),
	token("nvidia-key", `[A-Za-z0-9_-]{40,}`, "nvapi-"),
	token("langsmith-key", `[0-9a-f]{32}_[0-9a-f]{10}`, "lsv2_pt_", "lsv2_sk_"),
	token("posthog-personal-key", `[A-Za-z0-9]{30,}`, "phx_"),
	token("context7-key", `[0-9a-f-]{30,}`, "ctx7sk-"),
	token("jina-key", `[A-Za-z0-9_-]{40,}`, "jina_"),
	token("cerebras-key", `[a-z0-9]{40,}`, "csk-"),
	token("fireworks-key", `[A-Za-z0-9]{20,}`, "fw_"),
	token("together-key", `[A-Za-z0-9_-]{30,}`, "tgp_v1_"),
	token("browserbase-key", `[A-Za-z0-9_-]{20,}`, "bb_live_"),
	token("contentful-token", `[A-Za-z0-9_-]{40,}`, "CFPAT-"),
	token("hubspot-token", `[0-9a-f-]{30,}`, "pat-na1-", "pat-na2-", "pat-eu1-"),
	token("netlify-token", `[A-Za-z0-9]{30,}`, "nfp_"),
	token("fly-token", `[A-Za-z0-9+/=_,-]{40,}`, "fm1_", "fm2_"),
	token("sourcegraph-token", `[A-Za-z0-9_]{40,}`, "sgp_"),
	token("tailscale-key", `[A-Za-z0-9]{6,}-[A-Za-z0-9]{20,}`, "tskey-auth-", "tskey-api-", "tskey-client-"),
	token("pulumi-token", `[0-9a-f]{40}`, "pul-"),
	token("dynatrace-token", `[A-Z0-9]{24}.[A-Z0-9]{60,}`, "dt0c01."),
	token("alibaba-key", `[A-Za-z0-9]{17,}`, "LTAI"),
	token("buildkite-token", `[0-9a-f]{40}`, "bkua_"),
	token("circleci-token", `[A-Za-z0-9]{20,}_[0-9a-f]{40}`, "CCIPAT_"),
	token("e2b-key", `[0-9a-f]{40}`, "e2b_"),
	token("sonarqube-token", `[0-9a-f]{40}`, "sqp_", "squ_", "sqa_"),
	token("rubygems-key", `[0-9a-f]{48}`, "rubygems_"),
	token("readme-key", `[a-z0-9]{60,}`, "rdme_"),
	token("mapbox-secret-token", `[A-Za-z0-9_-]{20,}.[A-Za-z0-9_-]{20,}`, "sk.eyJ"),
	token("render-key", `[A-Za-z0-9]{28,}`, "rnd_"),
	token("stytch-secret", `[A-Za-z0-9_=-]{30,}`, "secret-live-", "secret-test-"),
	token("age-secret-key", `[A-Z0-9]{40,}`, "AGE-SECRET-KEY-1"),
	{name: "json-web-token", marks: []string{"eyJ"}, run: true, pattern: token("", `[A-Za-z0-9_-]{10,}.eyJ[A-Za-z0-9_-]{10,}.[A-Za-z0-9_-]{10,}`).pattern},
}
