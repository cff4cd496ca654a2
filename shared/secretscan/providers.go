package secretscan

import (
	"regexp"
	"strings"
	"sync"
)

// provider is one token format. Marks are literal texts, of two characters at least, with which a
// token begins; the pattern is tried only where one stands, which almost no text has.
type provider struct {
	name    string
	marks   []string
	pattern func() *regexp.Regexp
	digits  int  // decimal digits that stand in front of the mark
	run     bool // a failure holds for every later mark in the same run of characters
}

// token declares a provider.
func token(name, expression string, marks ...string) provider {
	return provider{name: name, marks: marks, pattern: sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:` + expression + `)`)
	})}
}

// numbered declares a provider whose tokens begin with digits, up to as many as given.
func numbered(digits int, name, expression string, marks ...string) provider {
	p := token(name, expression, marks...)
	p.digits = digits
	return p
}

// markIndex finds marks by their first two bytes.
type markIndex struct {
	pairs [1 << 16 / 64]uint64 // whether any mark begins with the pair
	lists map[uint16][]mark
}

type mark struct {
	text     string
	provider int
}

var marks = sync.OnceValue(func() *markIndex {
	m := &markIndex{lists: map[uint16][]mark{}}
	for i := range providers {
		for _, text := range providers[i].marks {
			pair := uint16(text[0])<<8 | uint16(text[1])
			m.pairs[pair>>6] |= 1 << (pair & 63)
			m.lists[pair] = append(m.lists[pair], mark{text, i})
		}
	}
	return m
})

// longestToken bounds one match. PEM keys, which are longer, are found by their armour.
const longestToken = 4096

// scanProviders tries the patterns at the places of their marks. What a pattern has covered, be it
// a token or an example of one, is not tried again with the same pattern.
func scanProviders(value string) []Match {
	index := marks()
	var found []Match
	var covered [128]int // by provider
	for i := 0; i+1 < len(value); i++ {
		pair := uint16(value[i])<<8 | uint16(value[i+1])
		if index.pairs[pair>>6]&(1<<(pair&63)) == 0 {
			continue
		}
		for _, m := range index.lists[pair] {
			if i < covered[m.provider] || !strings.HasPrefix(value[i:], m.text) {
				continue
			}
			match, ok := providers[m.provider].at(value, i)
			if !ok {
				if providers[m.provider].run {
					covered[m.provider] = endOfRun(value, i)
				}
				continue
			}
			covered[m.provider] = match.End
			if credible(value[match.Start:match.End]) {
				found = append(found, match)
			}
		}
	}
	return found
}

// endOfRun returns where the run of token characters that i stands in ends.
func endOfRun(value string, i int) int {
	for i < len(value) && (isWordByte(value[i]) || value[i] == '_' || value[i] == '-') {
		i++
	}
	return i
}

// at tries the pattern at a mark. A token may not begin in the middle of a word.
func (p *provider) at(value string, i int) (Match, bool) {
	start := i
	for start > 0 && i-start < p.digits && isDigit(value[start-1]) {
		start--
	}
	if start > 0 && isWordByte(value[start-1]) {
		return Match{}, false
	}
	size := len(p.pattern().FindString(value[start:min(len(value), start+longestToken)]))
	if size == 0 {
		return Match{}, false
	}
	return Match{p.name, start, start + size, p.public(value[start : start+size])}, true
}

// public returns the length of a token up to the end of its mark.
func (p *provider) public(match string) int {
	for _, m := range p.marks {
		if at := strings.Index(match, m); at >= 0 {
			return at + len(m)
		}
	}
	return 0
}

// credible rejects texts that have a provider's shape but are examples or masks.
func credible(match string) bool {
	if distinctBytes(match) < 9 || placeholderWord(match) || strings.Contains(match, "xxxx") || strings.Contains(match, "XXXX") {
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
// lower bounds: issuers lengthen tokens, and a shorter bound costs nothing behind a fixed prefix.
var providers = []provider{
	token("github-token", `gh[pousr]_[A-Za-z0-9]{30,255}`, "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
	token("github-fine-grained-token", `github_pat_[A-Za-z0-9_]{36,255}`, "github_pat_"),
	token("gitlab-token", `gl(?:pat|dt|rt|ptt|agent|oas|cbt|ft|soat)-[A-Za-z0-9_\-]{20,}`, "glpat-", "gldt-", "glrt-", "glptt-", "glagent-", "gloas-", "glcbt-", "glft-", "glsoat-"),
	token("anthropic-key", `sk-ant-[A-Za-z0-9_\-]{20,}`, "sk-ant-"),
	token("openrouter-key", `sk-or-v1-[0-9a-f]{32,}`, "sk-or-v1-"),
	token("openai-key", `sk-(?:proj|svcacct|admin)-[A-Za-z0-9_\-]{20,}`, "sk-proj-", "sk-svcacct-", "sk-admin-"),
	token("secret-key", `sk-[A-Za-z0-9_\-]{20,}`, "sk-"),
	token("stripe-key", `(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}`, "sk_live_", "sk_test_", "rk_live_", "rk_test_"),
	token("stripe-webhook-secret", `whsec_[A-Za-z0-9+/=]{24,}`, "whsec_"),
	token("aws-access-key", `(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}`, "AKIA", "ASIA", "ABIA", "ACCA"),
	token("google-api-key", `AIza[A-Za-z0-9_\-]{30,}`, "AIza"),
	token("google-api-key", `AQ\.[A-Za-z0-9_\-]{30,}`, "AQ."),
	token("google-oauth-secret", `GOCSPX-[A-Za-z0-9_\-]{20,}`, "GOCSPX-"),
	token("google-oauth-token", `ya29\.[A-Za-z0-9_\-]{20,}`, "ya29."),
	token("slack-token", `xox[abeoprs]-[A-Za-z0-9\-]{10,}`, "xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"),
	token("slack-app-token", `xapp-[0-9]-[A-Za-z0-9\-]{10,}`, "xapp-"),
	token("slack-webhook", `hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9]{6,}/[A-Za-z0-9]{6,}/[A-Za-z0-9/]{10,}`, "hooks.slack.com/"),
	token("discord-webhook", `(?:discord|discordapp)\.com/api/webhooks/[0-9]{10,}/[A-Za-z0-9_\-]{30,}`, "discord.com/api/webhooks/", "discordapp.com/api/webhooks/"),
	token("discord-bot-token", `[MNO][A-Za-z0-9_\-]{23,27}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,}`, "MD", "MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT", "Oj", "Oz"),
	numbered(10, "telegram-bot-token", `[0-9]{8,10}:A[A-Za-z0-9_\-]{34}`, ":A"),
	token("notion-token", `ntn_[A-Za-z0-9]{30,}`, "ntn_"),
	token("notion-token", `secret_[A-Za-z0-9]{40,}`, "secret_"),
	token("figma-token", `fig[dou]_[A-Za-z0-9_\-]{20,}`, "figd_", "figo_", "figu_"),
	token("linear-key", `lin_(?:api|oauth)_[A-Za-z0-9]{30,}`, "lin_api_", "lin_oauth_"),
	token("hugging-face-token", `hf_[A-Za-z0-9]{30,}`, "hf_"),
	token("npm-token", `npm_[A-Za-z0-9]{30,}`, "npm_"),
	token("pypi-token", `pypi-[A-Za-z0-9_\-]{50,}`, "pypi-"),
	token("sendgrid-key", `SG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}`, "SG."),
	token("twilio-key", `SK[0-9a-f]{32}`, "SK"),
	token("mailgun-key", `key-[0-9a-f]{32}`, "key-"),
	token("digitalocean-token", `do[opr]_v1_[0-9a-f]{60,}`, "dop_v1_", "doo_v1_", "dor_v1_"),
	token("supabase-token", `sb(?:p|_secret)_[A-Za-z0-9_\-]{20,}`, "sbp_", "sb_secret_"),
	token("databricks-token", `dapi[0-9a-f]{32}`, "dapi"),
	token("shopify-token", `shp(?:at|ca|pa|ss)_[0-9a-fA-F]{30,}`, "shpat_", "shpca_", "shppa_", "shpss_"),
	token("square-token", `(?:sq0csp|sq0atp)-[A-Za-z0-9_\-]{20,}`, "sq0csp-", "sq0atp-"),
	token("airtable-token", `pat[A-Za-z0-9]{14}\.[0-9a-f]{60,}`, "pat"),
	token("tavily-key", `tvly-[A-Za-z0-9\-]{20,}`, "tvly-"),
	token("perplexity-key", `pplx-[A-Za-z0-9]{30,}`, "pplx-"),
	token("groq-key", `gsk_[A-Za-z0-9]{30,}`, "gsk_"),
	token("xai-key", `xai-[A-Za-z0-9]{40,}`, "xai-"),
	token("replicate-token", `r8_[A-Za-z0-9]{30,}`, "r8_"),
	token("firecrawl-key", `fc-[0-9a-f]{32}`, "fc-"),
	token("brave-key", `BSA[A-Za-z0-9_\-]{24,}`, "BSA"),
	token("apify-token", `apify_api_[A-Za-z0-9]{30,}`, "apify_api_"),
	token("postman-key", `PMAK-[0-9a-f]{24}-[0-9a-f]{30,}`, "PMAK-"),
	token("new-relic-key", `NRAK-[A-Z0-9]{25,}`, "NRAK-"),
	token("grafana-token", `glsa_[A-Za-z0-9]{30,}_[0-9a-f]{8}`, "glsa_"),
	token("grafana-token", `glc_[A-Za-z0-9+/=]{30,}`, "glc_"),
	token("doppler-token", `dp\.(?:pt|st|ct|sa)\.[A-Za-z0-9_.\-]{30,}`, "dp.pt.", "dp.st.", "dp.ct.", "dp.sa."),
	token("atlassian-token", `AT(?:ATT|CTT)3[A-Za-z0-9_\-=]{40,}`, "ATATT3", "ATCTT3"),
	token("vault-token", `hv[sb]\.[A-Za-z0-9_\-]{20,}`, "hvs.", "hvb."),
	token("docker-hub-token", `dckr_(?:pat|oat)_[A-Za-z0-9_\-]{20,}`, "dckr_pat_", "dckr_oat_"),
	token("azure-storage-key", `(?:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{40,}={0,2}`, "AccountKey=", "SharedAccessKey="),
	token("sentry-token", `sntry[su]_[A-Za-z0-9+/=_\-]{30,}`, "sntrys_", "sntryu_"),
	token("planetscale-token", `pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_\-.]{30,}`, "pscale_"),
	token("pinecone-key", `pcsk_[A-Za-z0-9_]{30,}`, "pcsk_"),
	token("resend-key", `re_[A-Za-z0-9]{8,}_[A-Za-z0-9]{20,}`, "re_"),
	token("heroku-key", `HRKU-[A-Za-z0-9_\-]{30,}`, "HRKU-"),
	token("elevenlabs-key", `sk_[0-9a-f]{40,}`, "sk_"),
	token("clickup-token", `pk_[0-9]{6,}_[A-Z0-9]{30,}`, "pk_"),
	token("1password-token", `ops_eyJ[A-Za-z0-9+/=_\-]{40,}`, "ops_eyJ"),
	token("age-secret-key", `AGE-SECRET-KEY-1[A-Z0-9]{40,}`, "AGE-SECRET-KEY-1"),
	{name: "json-web-token", marks: []string{"eyJ"}, run: true, pattern: token("", `eyJ[A-Za-z0-9_\-]{10,}\.eyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{10,}`).pattern},
}
