package filescan

import (
	"regexp"
	"strings"

	"governance.internal/shared/secretscan"
)

// Expressions for a name with a value beside it. The name is the first group; the value is
// the first of the others that matched.
var (
	// assignment is name = "value", "name": "value", name := 'value', name=value.
	assignment = regexp.MustCompile(`([A-Za-z_][\w.-]*)["'` + "`" + `]?\]?[ \t]*(?:=>|:=|\?=|=|:)[ \t]*[bBrRfFuU@]{0,2}(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|` + "`([^`\n]*)`" + `|([^\s"'` + "`" + `,;(){}\[\]<>&|]+))`)

	// call is set("name", "value") and define('NAME', 'value').
	call = regexp.MustCompile(`\(\s*["']([A-Za-z_][\w.-]*)["']\s*,\s*(?:"([^"\n]*)"|'([^'\n]*)')`)

	// setter is setPassword("value"), or .apiKey("value") of a builder.
	setter  = regexp.MustCompile(`\b(?i:set|with)([A-Z]\w*)\(\s*(?:"([^"\n]*)"|'([^'\n]*)')\s*\)`)
	builder = regexp.MustCompile(`\.([A-Za-z]\w*)\(\s*(?:"([^"\n]*)"|'([^'\n]*)')\s*\)`)

	// part is name=value inside of a string, such as "user=app password=… host=db".
	part = regexp.MustCompile(`\b([A-Za-z_][\w.-]*)=([^\s;&"'` + "`" + `,<>(){}]+)`)

	// pair is a name with its value in the next member, as lists of variables have them.
	pair = regexp.MustCompile(`(?i)["']?name["']?\s*[:=]\s*["']?([A-Za-z_][\w.-]*)["']?\s*,?\s*["']?value["']?\s*[:=]\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s"'{}\[\],]+))`)

	// element is <password>value</password>.
	element = regexp.MustCompile(`<([A-Za-z_][\w.-]*)>([^<>\n]+)</`)

	// property is name="password" value="…" of XML.
	property = regexp.MustCompile(`\b(?:name|key)="([A-Za-z_][\w.-]*)"\s+value="([^"\n]*)"`)

	// instruction is ENV NAME value of a container file.
	instruction = regexp.MustCompile(`(?m)^\s*(?:ENV|ARG)\s+([A-Za-z_]\w*)\s+(\S+)\s*$`)

	// machine is a line of .netrc.
	machine = regexp.MustCompile(`\b(?:login|user)\s+\S+\s+(password)\s+(\S+)`)

	// query is a parameter of an address.
	query = regexp.MustCompile(`[?&]([A-Za-z_][\w-]*)=([^&\s"'` + "`" + `<>#)]+)`)

	// option is --password value, --token=value.
	option = regexp.MustCompile(`(?:^|\s)--?([A-Za-z][\w-]*)[= ]["']?([^\s"'` + "`" + `;|&)]+)`)

	// header is a line of an HTTP header in quotes.
	header = regexp.MustCompile(`(?i)["']((?:proxy-)?authorization|x-[a-z-]*(?:key|token|secret|auth)[a-z-]*|private-token|api-?key)\s*:\s*(?:(?:bearer|basic|token|apikey)\s+)?([^"'\s{}<>]+)["']`)

	// bearer is the value of such a header.
	bearer = regexp.MustCompile(`["'` + "`" + `](Bearer|Basic|Token) ([A-Za-z0-9._~+/=-]{16,})["'` + "`" + `]`)

	// login is curl -u user:password, and docker login -p value.
	login = regexp.MustCompile(`\b(?:curl|wget|http|https)\b[^\n]*?\s(-u|--user|-a|--auth)[ =]?["']?[^\s:"']+:([^\s"'@]+)`)
	dock  = regexp.MustCompile(`\b(?:(?:docker|podman|helm registry|buildah)\s+login|sshpass)\b[^\n]*?\s(-p)[ =]?["']?([^\s"']+)`)

	// directive is a line of settings without a sign between name and value.
	directive = regexp.MustCompile(`(?m)^\s*(requirepass|masterauth|password|auth_pass|bindpw|rootpw)\s+["']?([^\s"'={};]+)["']?;?\s*$`)
)

// rules are the expressions that say by a name that a value is secret.
var rules = []struct {
	pattern *regexp.Regexp
	rule    string
	named   bool // the first group is a name that must say secret
	quoted  bool // the value stands for itself in every kind of file
	inside  bool // only inside of a string
}{
	{header, RuleHeader, false, true, false},
	{bearer, RuleHeader, false, true, false},
	{query, RuleURL, true, true, false},
	{login, RuleFlag, false, true, false},
	{dock, RuleFlag, false, true, false},
	{call, RuleKeyed, true, true, false},
	{setter, RuleKeyed, true, true, false},
	{builder, RuleKeyed, true, true, false},
	{pair, RuleKeyed, true, true, false},
	{element, RuleKeyed, true, true, false},
	{property, RuleKeyed, true, true, false},
	{instruction, RuleKeyed, true, true, false},
	{machine, RuleKeyed, true, true, false},
	{directive, RuleKeyed, false, true, false},
	{option, RuleFlag, true, true, false},
	{assignment, RuleKeyed, true, false, false},
	{part, RuleKeyed, true, true, true},
}

// lines finds values beside names that say secret. Every expression stays in its line.
func (s *scanner) lines() {
	if s.kind == notebook {
		return // its lines are strings, which are read apart
	}
	for _, part := range hinted(s.text) {
		s.keyed(s.text[part.start:part.end], part.start, s.kind)
	}
}

// hints are parts of the names that say secret, and of the programs that take one.
var hints = []string{
	"key", "token", "secret", "pass", "pwd", "auth", "cred", "cookie", "bearer", "jwt", "mnemonic", "seed", "phrase", "pat",
	"curl", "wget", "login",
}

// span is a part of a text.
type span struct{ start, end int }

// hinted are the lines of a text that may name a secret, each with the line after it, where
// the value of a pair stands. Neighbours are one part.
func hinted(text string) []span {
	lower := strings.ToLower(text)
	if len(lower) != len(text) { // a letter changed its length
		return []span{{0, len(text)}}
	}

	var parts []span
	carry := false
	at := 0
	for at < len(text) {
		end := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}

		hint := hasHint(lower[at:end])
		if hint || carry {
			if n := len(parts); n > 0 && parts[n-1].end == at {
				parts[n-1].end = end
			} else {
				parts = append(parts, span{at, end})
			}
		}
		carry = hint
		at = end
	}
	return parts
}

func hasHint(line string) bool {
	for _, hint := range hints {
		if strings.Contains(line, hint) {
			return true
		}
	}
	return false
}

// keyed looks through a text that begins at an offset of the file.
func (s *scanner) keyed(text string, offset int, k kind) {
	for _, r := range rules {
		if len(s.found) >= maxFindings {
			return
		}
		for _, at := range r.pattern.FindAllStringSubmatchIndex(text, -1) {
			name := text[at[2]:at[3]]
			start, end, bare := valueOf(at, r.quoted)
			if start < 0 || r.named && !secretscan.SecretName(lastPart(name)) {
				continue
			}
			if r.inside && !insideString(text, at[2], end) {
				continue
			}
			if isComparison(text, at[3]) || bare && !k.bare() && !insideString(text, at[2], end) {
				continue
			}

			v := value{
				name: name,
				text: text[start:end],
				bare: bare,
				kind: k,
				rule: r.rule,
			}
			start, end = v.withoutScheme(text, start, end)
			v.text = text[start:end]
			severity, rule := v.judge()
			if severity == "" {
				continue
			}
			s.add(Finding{
				Rule:     rule,
				Severity: severity,
				Name:     name,
				Start:    offset + start,
				End:      offset + end,
			})
		}
	}
}

// valueOf is the place of the value: the first group after the name that matched. The last
// group of an assignment is a value without quotes.
func valueOf(at []int, quoted bool) (start, end int, bare bool) {
	for i := 4; i+1 < len(at); i += 2 {
		if at[i] >= 0 {
			return at[i], at[i+1], !quoted && i+2 == len(at)
		}
	}
	return -1, -1, false
}

// lastPart is the end of a name with folders or dots, such as spring.datasource.password.
func lastPart(name string) string {
	name = strings.TrimRight(name, ".-")
	if i := strings.LastIndexAny(name, "./"); i >= 0 {
		return name[i+1:]
	}
	return name
}

// isComparison reports whether an operator that compares follows a name.
func isComparison(text string, after int) bool {
	rest := strings.TrimLeft(text[after:min(len(text), after+8)], " \t\"'`]")
	for _, operator := range []string{"==", "=~", "!=", "<=", ">="} {
		if strings.HasPrefix(rest, operator) {
			return true
		}
	}
	return false
}

// maxString is how far the quotes of a string are looked for, in bytes: a line of minified code
// may be a megabyte.
const maxString = 4 << 10

// insideString reports whether a name and its value without quotes stand inside of one string
// literal, such as "user=app password=… host=db".
func insideString(text string, start, end int) bool {
	from := max(0, start-maxString)
	begin := from + strings.LastIndexByte(text[from:start], '\n') + 1
	for _, quote := range []string{`"`, `'`, "`"} {
		before := strings.Count(text[begin:start], quote)
		rest := text[end:min(len(text), end+maxString)]
		if i := strings.IndexByte(rest, '\n'); i >= 0 {
			rest = rest[:i]
		}
		if before%2 == 1 && strings.Contains(rest, quote) {
			return true
		}
	}
	return false
}
