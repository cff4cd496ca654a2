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
	words *regexp.Regexp
}

// intents are tried in this order.
var intents = []intent{
	{"cease", regexp.MustCompile(`cease|desist|stop (?:using|copying|selling|doing|contacting)|infring`)},
	{"termination", regexp.MustCompile(`notice of termination|terminat\w* (?:letter|notice)|(?:end|cancel|terminat)\w* (?:my|our|the|this) (?:lease|contract|agreement|subscription|membership|tenancy|gym|service)|resign`)},
	{"demand", regexp.MustCompile(`demand|owes? (?:me|us)|unpaid (?:invoice|bill|rent|wages)|payment reminder|refus\w* to pay|has(?:n't| not) paid`)},
	{"loan_note", regexp.MustCompile(`promissory|loan|lend|borrow|iou`)},
	{"nda_one_way", regexp.MustCompile(`(?:one-?way|unilateral)[^.]{0,40}(?:nda|non-?disclosure|confidential)|(?:nda|non-?disclosure)[^.]{0,40}(?:one-?way|unilateral|only (?:i|we) (?:share|disclose))`)},
	{"nda_mutual", regexp.MustCompile(`\bnda\b|non-?disclosure|confidentiality agreement|keep[^.]{0,30}secret`)},
	{"consulting_letter", regexp.MustCompile(`consult\w*[^.]{0,40}letter|letter[^.]{0,40}consult|engagement letter`)},
	{"contractor", regexp.MustCompile(`contractor|freelanc|consult`)},
	{"services", regexp.MustCompile(``)},
}

var slot = regexp.MustCompile(`\{\{([a-z_0-9]+)\}\}`)

// From drafts what a text asks for. The disclaimer is the last line.
func From(t *text.Text, terms extract.Terms, disclaimer string) *Document {
	name := intentOf(t)
	raw, err := templates.ReadFile("templates/" + name + ".md")
	if err != nil {
		panic(err) // the table above names a template that is not there
	}

	known := slotsOf(t, terms, name)
	blanks := []string{}
	markdown := slot.ReplaceAllStringFunc(string(raw), func(s string) string {
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
		if i.words.MatchString(t.Lower) {
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
	form *regexp.Regexp
}{
	{"party_2", regexp.MustCompile(`(` + nameForm + `) (?:owes?|has not paid|hasn't paid|refuses to pay|must stop|keeps|is (?:using|copying|selling|infringing))\b`)},
	{"party_1", regexp.MustCompile(`\b(?:owes?|paid) (` + nameForm + `)`)},
	{"party_1", regexp.MustCompile(`\b(?:[Mm]y name is|I am|I, |we are|We are|signed by|on behalf of) ?(` + nameForm + `)`)},
	{"party_2", regexp.MustCompile(`\b(?:to|against|with|hire|hires|hiring|engage|engages|landlord|tenant|gym|employer),? (?:is )?(` + nameForm + `)`)},
	{"party_2", regexp.MustCompile(`\b(?:my|our) (?:[a-z-]+ ){0,2}[a-z-]+,? (` + nameForm + `)`)},
	{"party_2", regexp.MustCompile(`\ban? (?:[a-z-]+ ){0,2}[a-z-]+, (` + nameForm + `)`)},
	{"party_2", regexp.MustCompile(`\b(?:by|from) (` + nameForm + `)`)},
	{"party_1", regexp.MustCompile(`\bfor (` + nameForm + `)`)},
	{"interest", regexp.MustCompile(`(\d+(?:\.\d+)? ?(?:%|percent|per cent)(?: (?:per|a) (?:year|annum|month))?)`)},
	{"purpose", regexp.MustCompile(`\b(?:to (?:discuss|explore|evaluate|talk about)|discussing|evaluating|exploring|about) ([^.,;$€£\d]{4,80})`)},
	{"services", regexp.MustCompile(`\b(?:to|will|who) ((?:design|build|clean|write|develop|paint|repair|translate|edit|advise|teach|photograph|maintain|install|manage|deliver|market|audit|test)[^.,;$€£\d]{2,80})`)},
	{"reason", regexp.MustCompile(`\bfor ((?:the |my |our |an? |unpaid )?[a-z][^.,;$€£\d]{3,60})`)},
	{"payment_days", regexp.MustCompile(`\b(?:[Nn]et|within|due in) ((?:[a-z]+ )?\(?\d*\)? ?(?:days|weeks))`)},
	{"deadline", regexp.MustCompile(`\b(?:pay|stop|answer|respond|reply) (?:by|within|before) ([^.,;]{3,30})`)},
	{"conduct", regexp.MustCompile(`\b(?:stop|stops|is|are|keeps?) ((?:using|copying|selling|contacting|posting|publishing|calling|harassing)[^.;$€£]{3,80})`)},
	{"contract", regexp.MustCompile(`\b(?:end|cancel|terminate|terminating|ending|leave) (?:my|our|the|this) ([^.,;]{3,60}?)(?: (?:with|on|by|at|from)\b|[.,;]|$)`)},
	{"end_of_duty", regexp.MustCompile(`\bfor ((?:\d+|one|two|three|four|five|ten) years)`)},
}

// nameForm is how the name of a person or company looks.
const nameForm = `[A-Z][\w&'-]+(?: (?:[A-Z][\w&'-]+|of|&))* ?(?:Inc\.?|LLC|Ltd\.?|GmbH|Corp\.?)?`

// noName matches what has a capital and is nobody.
var noName = regexp.MustCompile(`^(?:January|February|March|April|May|June|July|August|September|October|November|December|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|NDA|Invoice|New York|California|Texas|EUR|USD|GBP|I)\b`)

// fillPhrases fills slots that are still empty.
func fillPhrases(known map[string]string, plain string) {
	for _, p := range phrases {
		m := p.form.FindStringSubmatch(plain)
		if m == nil || known[p.slot] != "" {
			continue
		}

		value := strings.TrimSpace(m[1])
		taken := known["party_1"] == value || known["party_2"] == value
		if strings.HasPrefix(p.slot, "party") && (taken || noName.MatchString(value)) {
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
