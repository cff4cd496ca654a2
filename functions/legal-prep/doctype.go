package legalprep

import (
	"regexp"
	"strings"
	"sync"

	"governance.internal/functions/legal-prep/text"
)

// DocumentType is what kind of document a text is.
type DocumentType struct {
	Value      string  `json:"value"`
	Confidence float64 `json:"confidence"`
}

// kind is a type of document: a pattern for its title, and words of its body.
type kind struct {
	name, title, body string
}

var kinds = []kind{
	{"nda", `non-?disclosure|confidentiality agreement|\bnda\b|secrecy`, `confidential information|receiving party|disclosing party|disclose`},
	{"employment", `employment|offer letter|job offer`, `employee|employer|salary|employment|vacation|working hours`},
	{"contractor", `contractor|freelance|consulting|consultant`, `independent contractor|contractor|consultant|freelancer`},
	{"saas", `software as a service|\bsaas\b|subscription agreement|cloud`, `uptime|subscription|hosted|users|service level|availability`},
	{"lease", `\blease\b|rental|tenancy|sublease`, `landlord|tenant|lessor|lessee|premises| rent |deposit`},
	{"loan", `\bloan\b|promissory|credit agreement|\bnote\b|mortgage`, `borrower|lender|principal|interest rate|repay|maturity|collateral`},
	{"terms_of_service", `terms of (?:service|use)|terms and conditions|user agreement|membership`, ` you | we |your account|website|our service|subscription`},
	{"privacy_policy", `privacy (?:policy|notice|statement)`, `personal data|cookies|we collect|data controller|privacy`},
	{"services", `services? agreement|master services?|statement of work|maintenance agreement`, `services|deliverables|service provider|provider|statement of work`},
	{"license", `licen[cs]e`, `licensor|licensee|licen[cs]ed|royalt`},
	{"distribution", `distribut|reseller|agency|franchise|supply`, `distributor|reseller|territory|products|franchisee|supplier`},
	{"sale", `purchase|sale|bill of sale`, `seller|buyer|purchaser|purchase price|goods|closing`},
	{"settlement", `settlement|release`, `releas|claims|settlement`},
	{"partnership", `partnership|joint venture|collaboration|operating agreement|shareholder`, `partner|joint venture|members|shares|capital contribution`},
}

type compiledKind struct {
	name  string
	title *regexp.Regexp
	words []string
}

// wordsIn counts the words of the kind in a text.
func (k compiledKind) wordsIn(text string) int {
	count := 0
	for _, w := range k.words {
		count += strings.Count(text, w)
	}
	return count
}

var compiledKinds = sync.OnceValue(func() []compiledKind {
	var all []compiledKind
	for _, k := range kinds {
		all = append(all, compiledKind{k.name, regexp.MustCompile(k.title), strings.Split(k.body, "|")})
	}
	return all
})

const (
	titleBytes  = 200
	titleWeight = 40
)

// typeOf weighs the words of the title and of the body.
func typeOf(t *text.Text) DocumentType {
	title := t.Lower[:min(len(t.Lower), titleBytes)]
	words := strings.Count(t.Lower, " ") + 1

	best, top, sum := "other", 0, 10
	for _, k := range compiledKinds() {
		points := min(1000*k.wordsIn(t.Lower)/words, 60)
		if at := k.title.FindStringIndex(title); at != nil {
			points += titleWeight - at[0]*titleWeight/(2*titleBytes)
		}
		sum += points
		if points > top {
			best, top = k.name, points
		}
	}

	if top < 12 {
		return DocumentType{"other", 0.3}
	}
	return DocumentType{best, float64(100*top/sum) / 100}
}
