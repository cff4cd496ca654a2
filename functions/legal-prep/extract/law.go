package extract

import (
	"regexp"
	"strings"
	"sync"

	"governance.internal/functions/legal-prep/lazy"
	"governance.internal/functions/legal-prep/text"
)

// GoverningLaw is the law that a document chooses.
type GoverningLaw struct {
	Jurisdiction string `json:"jurisdiction"`
	text.Quote
}

const (
	chosen = `(?i:governed|construed|interpreted|enforced|determined|controlled)[^.;\n]{0,120}?`
	place  = `((?i:the )?[A-Z][\w.'-]*(?:,? (?:(?:of|and|the|OF|AND|THE|&) )*[A-Z][\w.'-]*)*)`
	lawOf  = `(?i:laws?|legislation|law and jurisdiction)(?i:[^.;\n]{0,30}?) (?i:of|in|in force in|applicable in|effective in) `
)

var (
	lawForms = sync.OnceValue(func() []*regexp.Regexp {
		return []*regexp.Regexp{
			compile(chosen + lawOf + place),
			compile(chosen + `(?i:by|under|with|to) (?i:the )?(?i:laws? of )?(?i:the )?` + place + ` (?i:state )?(?i:laws?)\b`),
			compile(`(?i:the )?(?i:laws?) (?i:of)(?: the (?i:state|province|commonwealth|republic|kingdom) of)? ` + place + `,? (?i:shall |will |also )?(?i:apply|applies|govern|governs|control|controls)\b`),
			compile(`([A-Z][a-z]+(?: [A-Z][a-z]+)?) (?i:laws?) (?i:shall |will )?(?i:apply|applies|govern|governs|control|controls)\b`),
			compile(`(?i:in) ` + place + `[^.;\n]{0,60}(?i:governed|construed|interpreted)[^.;\n]{0,80}(?i:laws thereof)`),
			compile(`(?i:subject to|made under)[^.;\n]{0,60}` + lawOf + place),
			compile(`(?i:governing law|applicable law|choice of law)[.:]? *-? *(?i:the )?(?i:laws? of )?` + place),
		}
	})
	stateOf   = lazy.Pattern(`(?i)^(?:the )?(?:united states(?: of america)? and (?:of )?(?:the )?)?(?:(?:state|commonwealth|province|republic|federal republic|kingdom|territory|country|emirate|canton) of )?(?:the )?`)
	ofAmerica = lazy.Pattern(`(?i),? (?:in the )?(?:united states(?: of america)?|u\.?s\.?a?\.?)$`)
)

// countries are the places that an adjective or an abbreviation names.
var countries = map[string]string{
	"english": "England", "german": "Germany", "swiss": "Switzerland", "french": "France",
	"dutch": "Netherlands", "italian": "Italy", "spanish": "Spain", "irish": "Ireland",
	"israeli": "Israel", "japanese": "Japan", "chinese": "China", "indian": "India",
	"austrian": "Austria", "belgian": "Belgium", "swedish": "Sweden", "danish": "Denmark",
	"norwegian": "Norway", "scottish": "Scotland", "scots": "Scotland", "canadian": "Canada",
	"australian": "Australia", "singaporean": "Singapore", "polish": "Poland",
	"prc": "People's Republic of China", "p.r.c": "People's Republic of China",
	"united states of america": unitedStates, "usa": unitedStates, "u.s": unitedStates,
	"uk": "United Kingdom", "u.k": "United Kingdom",
	"brazilian": "Brazil", "mexican": "Mexico", "portuguese": "Portugal", "finnish": "Finland",
}

// Law returns the governing law of a text, nil where it chooses none. The federal law of the
// United States is the answer only where no state is named.
func Law(t *text.Text) *GoverningLaw {
	var federal *GoverningLaw
	for _, form := range lawForms() {
		for _, m := range form.FindAllStringSubmatchIndex(t.Plain, -1) {
			name := jurisdiction(t.Of(group(m, 1, 0)))
			if name == "" {
				continue
			}

			law := &GoverningLaw{name, t.Quote(group(m, 0, 0))}
			if name != unitedStates {
				return law
			}
			if federal == nil {
				federal = law
			}
		}
	}
	return federal
}

const unitedStates = "United States"

// jurisdiction returns the name of a place as it is usually written, "" for no place.
func jurisdiction(written string) string {
	name := written[len(stateOf().FindString(written)):]
	name = ofAmerica().ReplaceAllString(strings.TrimRight(name, "."), "")

	if at := afterPlace().FindStringIndex(name); at != nil {
		name = name[:at[0]]
	}

	name = ofAmerica().ReplaceAllString(name, "")
	name = strings.TrimRight(name, " ,.")
	for _, ending := range []string{" and the", " and", " the", " State"} {
		name = strings.TrimSuffix(name, ending)
	}
	if country, known := countries[strings.ToLower(name)]; known {
		return country
	}

	if name == strings.ToUpper(name) {
		name = titled(name)
	}

	if notPlaces[strings.ToLower(name)] || len(name) < 3 {
		return ""
	}
	return name
}

// afterPlace matches words that follow a place, with capitals, too, and are no part of it.
var afterPlace = lazy.Pattern(`(?i)\. |,? (?:section|article|clause|any|all|without|with|applicable|including|excluding|except|exclusive|regardless|notwithstanding|not|as|shall|will|governs?|which|that|such|to the|courts?|principles|and (?:the )?(?:parties|\w+ courts?|any|all|shall|will|each|both|is|are|not))\b`)

var notPlaces = map[string]bool{
	"agreement": true, "this agreement": true, "parties": true, "party": true, "applicable": true,
	"such": true, "this": true, "lease": true, "contract": true, "section": true, "state": true,
	"governing": true, "company": true, "any": true, "all": true, "conflict": true, "conflicts": true,
	"united nations": true, "federal": true, "local": true, "bylaws": true, "company laws": true,
}

// titled writes NEW YORK as New York.
func titled(name string) string {
	words := strings.Fields(strings.ToLower(name))
	for i, w := range words {
		if w != "of" && w != "and" && w != "the" {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, " ")
}
