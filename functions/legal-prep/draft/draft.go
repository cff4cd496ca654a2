// Package draft fills templates of its own with what a text says, and with nothing else: what
// the text does not say stays a visible blank.
package draft

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"governance.internal/functions/legal-prep/extract"
	"governance.internal/functions/legal-prep/lazy"
	"governance.internal/functions/legal-prep/text"
)

// Document is a draft in Markdown with the list of its blanks.
type Document struct {
	Markdown string   `json:"markdown"`
	Blanks   []string `json:"blanks"`
	Source   string   `json:"source"`
	Licence  string   `json:"licence"`
}

//go:embed templates/*.md
var templates embed.FS

// intent is a template with the words of a request that ask for it.
type intent struct {
	name  string
	words string // a pattern, compiled when a draft is asked for
}

// intents are tried in this order.
var intents = []intent{
	{"cease", `cease|desist|stop (?:using|copying|selling|doing|contacting)|infring`},
	{"termination", `notice of termination|terminat\w* (?:letter|notice)|(?:end|cancel|terminat)\w* (?:my|our|the|this) (?:lease|contract|agreement|subscription|membership|tenancy|gym|service)|resign`},
	{"demand", `demand|owes? (?:me|us)|unpaid (?:invoice|bill|rent|wages)|payment reminder|refus\w* to pay|has(?:n't| not) paid`},
	{"loan_note", `promissory|loan|lend|borrow|iou`},
	{"nda_one_way", `(?:one-?way|unilateral)[^.]{0,40}(?:nda|non-?disclosure|confidential)|(?:nda|non-?disclosure)[^.]{0,40}(?:one-?way|unilateral|only (?:i|we) (?:share|disclose))`},
	{"nda_mutual", `\bnda\b|non-?disclosure|confidentiality agreement|keep[^.]{0,30}secret`},
	{"consulting_letter", `consult\w*[^.]{0,40}letter|letter[^.]{0,40}consult|engagement letter`},
	{"contractor", `contractor|freelanc|consult`},
	{"services", ``},
}

var slot = lazy.Pattern(`\{\{([a-z_0-9]+)\}\}`)

// From drafts what a text asks for. The disclaimer is the last line.
func From(t *text.Text, terms extract.Terms, disclaimer string) *Document {
	name := intentOf(t)
	raw, err := templates.ReadFile("templates/" + name + ".md")
	if err != nil {
		panic(err) // the table above names a template that is not there
	}

	known := slotsOf(t, terms, name)
	blanks := []string{}
	markdown := slot().ReplaceAllStringFunc(string(raw), func(s string) string {
		key := strings.Trim(s, "{}")
		if value := known[key]; value != "" {
			return value
		}
		label := strings.ReplaceAll(key, "_", " ")
		if !slices.Contains(blanks, label) {
			blanks = append(blanks, label)
		}
		return fmt.Sprintf("[____ %s ____]", label)
	})

	return &Document{
		Markdown: markdown + "\n" + disclaimer + "\n",
		Blanks:   blanks,
		Source:   "own template: " + name,
		Licence:  "free to use and change",
	}
}

func intentOf(t *text.Text) string {
	for _, i := range intents {
		if regexp.MustCompile(i.words).MatchString(t.Lower) {
			return i.name
		}
	}
	return "services"
}

// slotsOf returns what the text says for the slots, in its own words.
func slotsOf(t *text.Text, terms extract.Terms, template string) map[string]string {
	known := map[string]string{}
	for i, p := range terms.Parties[:min(2, len(terms.Parties))] {
		known[fmt.Sprintf("party_%d", i+1)] = p.Name
	}

	if len(terms.Money) > 0 {
		known["amount"] = terms.Money[0].Quote.Quote
	}

	if len(terms.NoticePeriods) > 0 {
		known["notice_period"] = terms.NoticePeriods[0].Quote.Quote
	}

	if law := terms.GoverningLaw; law != nil {
		known["jurisdiction"] = law.Jurisdiction
	}

	for _, d := range terms.Dates {
		fillDate(known, d, template)
	}
	fillPhrases(known, t.Plain)
	return known
}

// phrases name a slot by the words around it; the group is what fills it.
var phrases = []struct {
	slot string
	form string
}{
	{"party_2", `(` + nameForm + `) (?:owes?|has not paid|hasn't paid|refuses to pay|must stop|keeps|is (?:using|copying|selling|infringing))\b`},
	{"party_1", `\b(?:owes?|paid) (` + nameForm + `)`},
	{"party_1", `\b(?:[Mm]y name is|I am|I, |we are|We are|signed by|on behalf of) ?(` + nameForm + `)`},
	{"party_2", `\b(?:to|against|with|hire|hires|hiring|engage|engages|landlord|tenant|gym|employer),? (?:is )?(` + nameForm + `)`},
	{"party_2", `\b(?:my|our) (?:[a-z-]+ ){0,2}[a-z-]+,? (` + nameForm + `)`},
	{"party_2", `\ban? (?:[a-z-]+ ){0,2}[a-z-]+, (` + nameForm + `)`},
	{"party_2", `\b(?:by|from) (` + nameForm + `)`},
	{"party_1", `\bfor (` + nameForm + `)`},
	{"interest", `(\d+(?:\.\d+)? ?(?:%|percent|per cent)(?: (?:per|a) (?:year|annum|month))?)`},
	{"purpose", `\b(?:to (?:discuss|explore|evaluate|talk about)|discussing|evaluating|exploring|about) ([^.,;$€£\d]{4,80})`},
	{"services", `\b(?:to|will|who) ((?:design|build|clean|write|develop|paint|repair|translate|edit|advise|teach|photograph|maintain|install|manage|deliver|market|audit|test)[^.,;$€£\d]{2,80})`},
	{"reason", `\bfor ((?:the |my |our |an? |unpaid )?[a-z][^.,;$€£\d]{3,60})`},
	{"payment_days", `\b(?:[Nn]et|within|due in) ((?:[a-z]+ )?\(?\d*\)? ?(?:days|weeks))`},
	{"deadline", `\b(?:pay|stop|answer|respond|reply) (?:by|within|before) ([^.,;]{3,30})`},
	{"conduct", `\b(?:stop|stops|is|are|keeps?) ((?:using|copying|selling|contacting|posting|publishing|calling|harassing)[^.;$€£]{3,80})`},
	{"contract", `\b(?:end|cancel|terminate|terminating|ending|leave) (?:my|our|the|this) ([^.,;]{3,60}?)(?: (?:with|on|by|at|from)\b|[.,;]|$)`},
	{"end_of_duty", `\bfor ((?:\d+|one|two|three|four|five|ten) years)`},
}

// nameForm is how the name of a person or company looks.
const nameForm = `[A-Z][\w&'-]+(?: (?:[A-Z][\w&'-]+|of|&))* ?(?:Inc\.?|LLC|Ltd\.?|GmbH|Corp\.?)?`

// noName matches words with a capital letter that name no person or company.
var noName = lazy.Pattern(`^(?:January|February|March|April|May|June|July|August|September|October|November|December|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|NDA|Invoice|New York|California|Texas|EUR|USD|GBP|I)\b`)

// fillPhrases fills slots that are still empty.
func fillPhrases(known map[string]string, plain string) {
	for _, p := range phrases {
		m := regexp.MustCompile(p.form).FindStringSubmatch(plain)
		if m == nil || known[p.slot] != "" {
			continue
		}

		value := strings.TrimSpace(m[1])
		taken := known["party_1"] == value || known["party_2"] == value
		if strings.HasPrefix(p.slot, "party") && (taken || noName().MatchString(value)) {
			continue
		}
		known[p.slot] = value
	}
}

// slotOfRole names the slot for a date of a role.
var slotOfRole = map[string]string{
	"effective": "start_date", "agreement": "start_date", "start": "start_date",
	"due": "due_date", "expiration": "end_date",
}

func fillDate(known map[string]string, d extract.Date, template string) {
	key := slotOfRole[d.Role]
	if template == "termination" {
		key = "end_date" // the date of a termination is its effect
	}
	if key != "" && known[key] == "" && d.ISO != nil {
		known[key] = d.Quote.Quote
	}
}
