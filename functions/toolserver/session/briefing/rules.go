package briefing

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"governance.internal/functions/toolserver/guard/workspace"
)

// rule tags the items that it matches.
type rule struct {
	name     string
	tag      string
	category string // "" leaves the category of the section
	match    *regexp.Regexp
}

// builtIn are the rules after those of the workspace file.
var builtIn = []rule{
	{
		name:     "built-in: vulnerability",
		tag:      Threat,
		category: Security,
		match:    regexp.MustCompile(`(?i)\bCVE-\d{4}-\d{4,}|\bGHSA-\w{4}|vulnerab|exploit|malware|ransomware|backdoor|supply[- ]chain attack|data breach|zero[- ]day`),
	},
	{
		name:     "built-in: end of support",
		tag:      Watch,
		category: TechStack,
		match:    regexp.MustCompile(`(?i)\bdeprecat|end[- ]of[- ]life|\bEOL\b|breaking change|no longer supported|\bsunset`),
	},
	{
		name:     "built-in: grant",
		tag:      Opportunity,
		category: Grants,
		match:    regexp.MustCompile(`(?i)\bgrants?\b|funding round|call for proposals|hackathon|accelerator`),
	},
	{
		name:     "built-in: regulation",
		tag:      Watch,
		category: Government,
		match:    regexp.MustCompile(`(?i)\bregulat|legislation|\bGDPR\b|\bAI Act\b|compliance deadline`),
	},
	{
		name:     "built-in: release",
		tag:      UseNow,
		category: TechStack,
		match:    regexp.MustCompile(`(?i)\b(now|generally) available\b|\bsecurity (fix|update|release)\b`),
	},
}

// Names of rules without an expression.
const (
	ruleStated  = "stated in the file"
	ruleDefault = "built-in: default"
)

func rulesOf(configured []workspace.DiscoveryRule) []rule {
	var list []rule
	for i, r := range configured {
		list = append(list, rule{
			name:     fmt.Sprintf("discovery.rules[%d]", i),
			tag:      r.Tag,
			category: r.Category,
			match:    r.Match.Regexp,
		})
	}
	return list
}

// news is an item before it has a tag.
type news struct {
	title   string
	more    string // what else it says
	section string // title of the section that it is in
	source  string
	date    string
	stated  string // tag that a file gives it, "" for none
}

// tag makes an item by the first matching rule: those of the workspace file, then the tag
// that the file states, then the built-in ones.
func (c *collection) tag(n news) Item {
	item := Item{
		Title:    n.title,
		Why:      n.more,
		Source:   n.source,
		Date:     n.date,
		Category: categoryOf(n.section),
		Rule:     ruleDefault,
		Tag:      Watch,
	}

	text := n.title + "\n" + n.more
	if r, ok := firstMatch(c.rules, text); ok {
		item.decide(r)
	} else if n.stated != "" {
		item.Tag, item.Rule = n.stated, ruleStated
	} else if r, ok := firstMatch(builtIn, text); ok {
		item.decide(r)
	}

	item.Why = cmp.Or(item.Why, "tagged by the rule "+item.Rule)
	return item
}

func (i *Item) decide(r rule) {
	i.Tag, i.Rule = r.tag, r.name
	i.Category = cmp.Or(r.category, i.Category)
}

func firstMatch(rules []rule, text string) (rule, bool) {
	at := slices.IndexFunc(rules, func(r rule) bool { return r.match.MatchString(text) })
	if at < 0 {
		return rule{}, false
	}
	return rules[at], true
}

// categoryOf is the category that the title of a section names.
func categoryOf(section string) string {
	joined := strings.ToLower(strings.Join(strings.Fields(section), ""))
	for _, category := range categories {
		if category != Workspace && strings.Contains(joined, category) {
			return category
		}
	}
	return Ecosystem
}
