package lint

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The lists of this file are data as of KnownDate: small, each entry with its source, reviewed at
// every ruleset. A package that is missing here may still be malicious.
const KnownDate = "2026-11-21"

// versions is a half-open range [from, below); an empty bound is open.
type versions struct{ from, below string }

// advisory is a package known to be malicious or vulnerable.
type advisory struct {
	ecosystem string
	name      string
	affected  []versions
	malicious bool // then a spec without a version counts too
	source    string
	fix       string
}

var advisories = []advisory{
	{"npm", "mcp-remote", []versions{{"0.0.5", "0.1.16"}}, false, "CVE-2025-6514", "0.1.16 or later"},
	{"npm", "@modelcontextprotocol/inspector", []versions{{"", "0.14.1"}}, false, "CVE-2025-49596", "0.14.1 or later"},
	{"npm", "@modelcontextprotocol/server-filesystem", []versions{{"", "0.6.4"}, {"2025.0.0", "2025.7.1"}}, false, "CVE-2025-53109, CVE-2025-53110", "2025.7.1 or later"},
	{"npm", "figma-developer-mcp", []versions{{"", "0.6.3"}}, false, "CVE-2025-53967", "0.6.3 or later"},
	{"npm", "mcp-server-kubernetes", []versions{{"", "2.5.0"}}, false, "CVE-2025-53355", "2.5.0 or later"},
	{"python", "mcp-server-git", []versions{{"", "2025.12.18"}}, false, "CVE-2025-68143 to CVE-2025-68145", "2025.12.18 or later"},
	{"npm", "postmark-mcp", []versions{{"1.0.16", ""}}, true, "a copy of every mail was sent to its author, September 2025", "the server that Postmark itself publishes"},
}

// archived are the reference servers that their maintainers archived (README of
// modelcontextprotocol/servers). The registries do not mark them as deprecated.
var archived = setOf(
	"@modelcontextprotocol/server-aws-kb-retrieval", "@modelcontextprotocol/server-aws-kb-retrieval-server", "@modelcontextprotocol/server-brave-search", "@modelcontextprotocol/server-everart",
	"@modelcontextprotocol/server-github", "@modelcontextprotocol/server-gitlab", "@modelcontextprotocol/server-gdrive",
	"@modelcontextprotocol/server-google-maps", "@modelcontextprotocol/server-postgres", "@modelcontextprotocol/server-puppeteer",
	"@modelcontextprotocol/server-redis", "@modelcontextprotocol/server-sentry", "@modelcontextprotocol/server-slack",
	"@modelcontextprotocol/server-sqlite", "mcp-server-sqlite", "mcp-server-sentry",
)

// vendorScopes are npm scopes worth imitating; lookalikes are imitations and inventions seen in
// configurations, with the scope they stand for.
var vendorScopes = []string{"modelcontextprotocol", "anthropic-ai", "smithery", "playwright", "supabase", "cloudflare", "microsoft",
	"notionhq", "browserbasehq", "hashicorp", "elastic", "mongodb-js", "upstash", "sentry", "stripe", "github", "openai", "google", "awslabs", "azure", "atlassian"}

var lookalikes = map[string]string{
	"anthropic": "anthropic-ai", "anthropics": "anthropic-ai", "anthropicai": "anthropic-ai", "anthropic-official": "anthropic-ai", "claude-ai": "anthropic-ai", "claude": "anthropic-ai",
	"model-context-protocol": "modelcontextprotocol", "modelcontextprotocols": "modelcontextprotocol", "modelcontext": "modelcontextprotocol",
	"mcp-official": "modelcontextprotocol", "modelcontextprotocol-official": "modelcontextprotocol", "open-ai": "openai", "git-hub": "github",
}

// keyedHosts authenticate by a key in the path.
var keyedHosts = []string{"infura.io", "alchemy.com", "alchemyapi.io", "quiknode.pro", "ankr.com", "blastapi.io", "getblock.io",
	"chainstack.com", "nodereal.io", "drpc.org", "hooks.slack.com", "hooks.zapier.com", "mcp.zapier.com", "actions.zapier.com",
	"webhook.office.com", "maker.ifttt.com", "make.com", "mcp.pipedream.net", "mcp.composio.dev", "helius-rpc.com", "rpcpool.com", "moralis-nodes.com", "zeeve.net", "tatum.io"}

// tunnelHosts give a machine behind a firewall, or any address at all, a public name.
var tunnelHosts = []string{"ngrok.io", "ngrok.app", "ngrok.dev", "ngrok-free.app", "ngrok-free.dev", "ngrok.pizza", "trycloudflare.com", "cfargotunnel.com",
	"loca.lt", "localtunnel.me", "serveo.net", "localhost.run", "lhr.life", "lhr.rocks", "tunnelmole.net", "bore.pub", "pinggy.io",
	"pinggy.link", "pinggy.online", "devtunnels.ms", "pagekite.me", "zrok.io", "telebit.io", "telebit.cloud", "playit.gg", "portmap.io", "localto.net", "loclx.io", "tunnelto.dev", "expose.dev", "sharedwithexpose.com",
	"nip.io", "sslip.io", "xip.io", "traefik.me", "localtest.me", "lvh.me", "vcap.me", "lacolhost.com"}

// advisoryFor returns the advisory that a package falls under, or nil.
func advisoryFor(p pkg) *advisory {
	name := strings.ToLower(p.name)
	if p.ecosystem == "python" {
		name = strings.ReplaceAll(name, "_", "-")
	}

	for i := range advisories {
		a := &advisories[i]
		if a.name != name || a.ecosystem != p.ecosystem {
			continue
		}

		if p.state != exact {
			if a.malicious && p.state == floating {
				return a
			}
			return nil
		}

		for _, v := range a.affected {
			if v.include(p.version) {
				return a
			}
		}
	}

	return nil
}

func (v versions) include(version string) bool {
	if v.from != "" && compareVersions(version, v.from) < 0 {
		return false
	}
	return v.below == "" || compareVersions(version, v.below) < 0
}

// compareVersions orders versions by their numbers; a pre-release comes before its release.
func compareVersions(a, b string) int {
	a = strings.TrimLeft(a, "v=")
	b = strings.TrimLeft(b, "v=")
	a, _, _ = strings.Cut(a, "+")
	b, _, _ = strings.Cut(b, "+")
	coreA, preA, isPreA := strings.Cut(a, "-")
	coreB, preB, isPreB := strings.Cut(b, "-")
	partsA := strings.Split(coreA, ".")
	partsB := strings.Split(coreB, ".")
	for i := range max(len(partsA), len(partsB)) {
		if d := part64(partsA, i) - part64(partsB, i); d != 0 {
			return int(max(-1, min(1, d)))
		}
	}

	switch {
	case isPreA && !isPreB:
		return -1
	case isPreB && !isPreA:
		return 1
	}

	return strings.Compare(preA, preB)
}

func part64(parts []string, i int) int64 {
	if i >= len(parts) {
		return 0
	}
	n, _ := strconv.ParseInt(parts[i], 10, 40)
	return n
}

// imitates returns the vendor scope that a package's scope looks like without being it.
func imitates(name string) (vendor string, ok bool) {
	if !strings.HasPrefix(name, "@") {
		return "", false
	}

	scope, _, _ := strings.Cut(name[1:], "/")
	scope = strings.ToLower(scope)
	if slices.Contains(vendorScopes, scope) {
		return "", false
	}

	if v, found := lookalikes[scope]; found {
		return v, true
	}

	folded := confusables.Replace(plain(scope))
	for i, v := range vendorScopes {
		isHomoglyph := len(v) >= 6 && folded == vendorSkeletons()[i]
		if isHomoglyph || misspells(scope, v) {
			return v, true
		}
	}

	return "", false
}

// misspells reports whether a scope is one or two edits from the vendor's. Short names are as near to
// many other words.
func misspells(scope, vendor string) bool {
	switch {
	case len(vendor) >= 12:
		return nearly(scope, vendor, 2)
	case len(vendor) >= 9:
		return nearly(scope, vendor, 1)
	}
	return false
}

// confusables maps characters that are mistaken for each other to one of them.
var confusables = strings.NewReplacer("0", "o", "1", "l", "i", "l", "5", "s", "rn", "m", "vv", "w", "-", "", "_", "",
	"а", "a", "е", "e", "о", "o", "р", "p", "с", "c", "х", "x", "у", "y", "і", "l", "ѕ", "s")

var vendorSkeletons = sync.OnceValue(func() []string {
	out := make([]string, len(vendorScopes))
	for i, v := range vendorScopes {
		out[i] = confusables.Replace(v)
	}
	return out
})

// nearly reports whether a becomes b with at most limit insertions, deletions, substitutions or
// swaps of neighbours.
func nearly(a, b string, limit int) bool {
	if len(a) > 40 || len(a) > len(b)+limit || len(b) > len(a)+limit {
		return false
	}
	if differingLetters(a, b) > 2*limit { // an edit changes at most two counts
		return false
	}
	return editDistance(a, b) <= limit
}

// differingLetters compares how often each byte occurs in two texts.
func differingLetters(a, b string) int {
	var counts [256]int8
	for i := range len(a) {
		counts[a[i]]++
	}
	for i := range len(b) {
		counts[b[i]]--
	}

	differ := 0
	for _, c := range counts {
		differ += int(max(c, -c))
	}
	return differ
}

// editDistance returns the number of insertions, deletions, substitutions and swaps of neighbours
// that turn a into b. Both are shorter than 64 bytes.
func editDistance(a, b string) int {
	var rows [64][64]uint8
	for i := range len(a) + 1 {
		rows[i][0] = uint8(i)
	}
	for j := range len(b) + 1 {
		rows[0][j] = uint8(j)
	}

	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := uint8(1)
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)

			isSwap := i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1]
			if isSwap {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}

	return int(rows[len(a)][len(b)])
}
