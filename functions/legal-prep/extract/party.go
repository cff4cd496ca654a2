package extract

import (
	"slices"
	"strings"

	"governance.internal/functions/legal-prep/lazy"
	"governance.internal/functions/legal-prep/text"
)

// opening is how much of a document names its parties, in bytes.
const opening = 4000

var (
	betweenWord = lazy.Pattern(`\b(?:by and between|by and among|between|among|from|by)[: ]`)
	aliasNote   = lazy.Pattern(`\(\s?((?:[^()"]{0,60}"[^"()]{1,60}",?)+[^()"]{0,40})\)|(?:,? (?i:hereinafter|hereafter|herein)[^"()]{0,40})("[^"]{1,60}")`)
	bareAlias   = lazy.Pattern(`\((?:the |hereinafter |as )(?:the )?([A-Z][a-z]+(?: [A-Z][a-z]+)?)\)`)
	quoted      = lazy.Pattern(`"([^"]{1,60})"`)
	nameForm    = lazy.Pattern(`^(?:(?i:the|and|between|among|by|from|of) )*([A-Z0-9][\w.&'/-]*(?:(?:,? |, )(?:(?:of|de|van|von|der|the|and|et|y|&|d/b/a) )?(?:[A-Z0-9(&][\w.&'/)-]*|\d+))*)`)
	roleLabel   = lazy.Pattern(`\b(?:(` + roles + `)|` + otherLabels + `): ?`)
)

// Labels that stand before a colon: of a party, and of other things.
const (
	roles       = `Landlord|Tenant|Lessor|Lessee|Lender|Borrower|Employer|Employee|Client|Customer|Contractor|Consultant|Seller|Buyer|Purchaser|Owner|Agent|Licensor|Licensee|Company|Supplier|Provider|Guarantor|Disclosing Party|Receiving Party|Recipient`
	otherLabels = `Rent|Deposit|Term|Date|Fee|Price|Premises|Property|Address|Amount|Loan|Salary|Start|End`
)

// Parties returns the parties that the opening of a text names.
func Parties(t *text.Text) []Party {
	head := t.Plain[:min(len(t.Plain), opening)]
	head = bareAlias().ReplaceAllString(head, `("$1")`)
	if named := partiesByRole(head); len(named) > 1 {
		return named
	}

	if named := partiesByAlias(head); len(named) > 0 {
		return named
	}
	return partiesBetween(head)
}

// partiesByRole reads a list of labels: "Landlord: Peter Stone".
func partiesByRole(head string) []Party {
	found := []Party{}
	labels := roleLabel().FindAllStringSubmatchIndex(head, -1)
	for i, m := range labels {
		end := len(head)
		if i+1 < len(labels) {
			end = labels[i+1][0]
		}
		if m[2] < 0 {
			continue
		}

		name := nameOf(head[m[1]:end])
		if name != "" {
			role := head[m[2]:m[3]]
			found = addParty(found, Party{name, []string{role}})
		}
	}
	return found
}

// partiesByAlias finds a name before each ("Alias").
func partiesByAlias(head string) []Party {
	found := []Party{}
	from := 0

	for _, m := range aliasNote().FindAllStringIndex(head, -1) {
		before := head[from:m[0]]
		if from == 0 {
			before = afterBetween(before)
		}
		from = m[1]

		aliases := aliasesIn(head[m[0]:m[1]])
		name := nameIn(before)
		if len(aliases) > 0 && name != "" {
			found = addParty(found, Party{name, aliases})
		}
	}
	return found
}

// afterBetween returns what follows the first word that introduces the parties.
func afterBetween(s string) string {
	if m := betweenWord().FindStringIndex(s); m != nil {
		return s[m[1]:]
	}
	return s
}

// aliasesIn returns the names that a note in brackets gives, without those of the document.
func aliasesIn(note string) []string {
	var aliases []string
	for _, m := range quoted().FindAllStringSubmatch(note, -1) {
		alias := strings.TrimSpace(strings.TrimRight(m[1], ",."))
		alias = strings.TrimPrefix(strings.TrimPrefix(alias, "the "), "The ")
		if isNoParty(alias) {
			continue
		}
		aliases = append(aliases, alias)
	}
	return aliases
}

var noParties = []string{"agreement", "contract", "lease", "date", "parties", "party", "term", "services", "products", "territory", "premises", "property", "note", "loan", "sow", "amendment", "effective", "work", "project", "software", "commission", "sec", "act", "act\"", "goods", "nda", "terms", "fee", "rent", "information"}

// isNoParty reports whether a defined term names no person.
func isNoParty(alias string) bool {
	last := alias[strings.LastIndexByte(alias, ' ')+1:]
	if alias == "" {
		return true
	}
	if strings.HasSuffix(alias, "ing Party") {
		return false
	}
	return slices.Contains(noParties, strings.ToLower(last))
}

// nameIn returns the name that a passage ends up naming: the one at its start after ", and" or
// a semicolon.
func nameIn(passage string) string {
	passage = strings.TrimLeft(passage, " ,;.:\n()0123456789")
	passage = strings.TrimPrefix(passage, "and ")
	if at := strings.LastIndex(passage, "\n"); at >= 0 && nameOf(passage[at+1:]) != "" {
		passage = strings.TrimLeft(passage[at+1:], " ,;")
	}

	for _, mark := range []string{"; and ", " and between ", ", and "} {
		if at := strings.LastIndex(passage, mark); at >= 0 && nameOf(passage[at+len(mark):]) != "" {
			return nameOf(passage[at+len(mark):])
		}
	}

	if at := betweenWord().FindStringIndex(passage); at != nil && nameOf(passage[at[1]:]) != "" {
		return nameOf(passage[at[1]:])
	}
	return nameOf(passage)
}

func nameOf(passage string) string {
	m := nameForm().FindStringSubmatch(strings.TrimLeft(passage, " "))
	if m == nil {
		return ""
	}

	name, _, _ := strings.Cut(m[1], " of USD")
	name = strings.TrimRight(name, " ,;(")
	if !endsAbbreviated(name) {
		name = strings.TrimRight(name, ".")
	}

	named := len(name) > 1 && capital().MatchString(name)
	document := strings.Contains(strings.ToLower(name), "agreement")
	if !named || document || startsCommon(name) {
		return ""
	}
	return name
}

var capital = lazy.Pattern(`[A-Z]`)

// endsAbbreviated reports whether the last point belongs to a name.
func endsAbbreviated(name string) bool {
	last := name[strings.LastIndexByte(name, ' ')+1:]
	return slices.Contains([]string{"Inc.", "Ltd.", "Corp.", "Co.", "L.P."}, last)
}

// startsCommon reports whether a passage starts like a sentence and not like a name.
func startsCommon(name string) bool {
	first, _, _ := strings.Cut(name, " ")
	return slices.Contains(commonStarts, first)
}

var commonStarts = []string{
	"This", "That", "WHEREAS", "Whereas", "In", "If", "It",
	"All", "Each", "Such", "Any", "Section", "Article",
}

var (
	listStart = lazy.Pattern(`\b(?:by and between|between|by and among|among|from) `)
	listMark  = lazy.Pattern(`,? and |, | to `)
	suffix    = lazy.Pattern(`^(?:Inc|LLC|Ltd|Corp|L\.P|LP|LLP|GmbH|Co|S\.A|N\.A|Jr|Sr)\b`)
)

// partiesBetween finds "between A, B and C" and "from A to B" without aliases.
func partiesBetween(head string) []Party {
	for _, m := range listStart().FindAllStringIndex(head, -1) {
		rest := head[m[1]:min(len(head), m[1]+300)]
		if found := partiesInList(rest); len(found) > 1 {
			return found
		}
	}
	return []Party{}
}

// partiesInList reads names up to the first part that is no name.
func partiesInList(list string) []Party {
	var names []string
	for list != "" {
		part := list
		mark := listMark().FindStringIndex(list)
		list = ""
		if mark != nil {
			list = part[mark[1]:]
			part = part[:mark[0]]
		}

		if len(names) > 0 && suffix().MatchString(part) {
			names[len(names)-1] += ", " + suffix().FindString(part)
			continue
		}
		name := nameOf(part)
		if name == "" {
			break
		}
		names = append(names, name)
		if len(name) < len(strings.Trim(part, " .")) {
			break // more words follow the name: it was the last
		}
	}

	found := []Party{}
	for _, name := range names {
		found = addParty(found, Party{name, []string{}})
	}
	return found
}

// addParty adds a party once.
func addParty(found []Party, p Party) []Party {
	known := slices.ContainsFunc(found, func(f Party) bool { return strings.EqualFold(f.Name, p.Name) })
	if known || len(found) > 20 {
		return found
	}
	return append(found, p)
}
