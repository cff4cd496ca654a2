package categorise

import (
	"embed"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"
)

//go:embed phrases/*.txt
var phraseFiles embed.FS

// level orders the lists: what a bank writes outweighs a seller's name, and that outweighs a word.
type level int

const (
	words level = iota + 1
	materials
	brands
	bankTexts
)

// phrase is one entry of a list.
type phrase struct {
	words  []string
	list   string // the category, or the group of materials
	out    bool   // it speaks of money that goes out
	in     bool
	level  level
	weight int
}

// strongBonus lets a word with ! outweigh other single words, and not a phrase of two.
const strongBonus = 60

// lexicon finds phrases by their first word.
type lexicon struct {
	exact map[string][]*phrase
	wild  []*phrase // whose first word has a star
}

var loaded = sync.OnceValue(func() *lexicon {
	l := &lexicon{exact: map[string][]*phrase{}}
	files := []struct {
		name  string
		level level
	}{
		{"bank", bankTexts}, {"brands", brands}, {"words", words}, {"materials", materials},
	}

	for _, file := range files {
		text, err := phraseFiles.ReadFile("phrases/" + file.name + ".txt")
		if err != nil {
			panic(err) // the file is part of the program
		}
		l.addFile(string(text), file.level)
	}
	return l
})

func (l *lexicon) addFile(text string, level level) {
	list, out, in := "", true, false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}

		heading, isHeading := strings.CutPrefix(line, "= ")
		if isHeading {
			name, direction, _ := strings.Cut(heading, ", ")
			list = name
			out = direction != "in"
			in = direction == "in" || direction == "any"
			continue
		}

		for entry := range strings.SplitSeq(line, ";") {
			l.add(entry, list, out, in, level)
		}
	}
}

func (l *lexicon) add(entry, list string, out, in bool, level level) {
	entry, isStrong := strings.CutSuffix(strings.TrimSpace(entry), "!")
	parts := strings.Fields(entry)
	if len(parts) == 0 {
		return
	}

	for i, part := range parts {
		if part != ".." {
			parts[i] = star(part)
		}
	}

	p := &phrase{
		words:  parts,
		list:   list,
		out:    out,
		in:     in,
		level:  level,
		weight: int(level)*10_000 + len(parts)*100 + len(entry),
	}
	if isStrong {
		p.weight += strongBonus
	}
	if strings.Contains(parts[0], "*") {
		l.wild = append(l.wild, p)
		return
	}
	l.exact[parts[0]] = append(l.exact[parts[0]], p)
}

// star normalises a word of a list and keeps its stars.
func star(word string) string {
	prefix := strings.HasPrefix(word, "*")
	suffix := strings.HasSuffix(word, "*")
	word = strings.Join(Words(strings.Trim(word, "*")), "")
	if prefix {
		word = "*" + word
	}
	if suffix {
		word += "*"
	}
	return word
}

// shortForms are abbreviations in the names of sellers and in the texts of banks.
var shortForms = map[string]string{
	"elec": "electric", "stor": "storage", "svc": "service", "svcs": "services", "srvc": "service", "serv": "service",
	"mgmt": "management", "pmt": "payment", "pymt": "payment", "pmnt": "payment", "xfer": "transfer", "tfr": "transfer", "trf": "transfer",
	"equip": "equipment", "maint": "maintenance", "whsl": "wholesale", "whsle": "wholesale", "assn": "association", "assoc": "association",
	"mbr": "member", "lic": "license", "rstrnt": "restaurant", "restrnt": "restaurant", "restaur": "restaurant", "cty": "city",
	"util": "utility", "utils": "utilities", "tel": "telephone", "advert": "advertising", "acctg": "accounting", "atty": "attorney",
	"veh": "vehicle", "htl": "hotel", "insur": "insurance", "ins": "insurance", "prem": "premium", "dept": "department", "govt": "government",
	"intl": "international", "natl": "national", "supl": "supply", "supp": "supply", "hdwe": "hardware", "hdwr": "hardware",
	"constr": "construction", "bldg": "building", "telecomm": "telecom", "sftwr": "software", "subscr": "subscription",
	"membrshp": "membership", "regis": "registration", "ctr": "center", "univ": "university", "prkg": "parking", "prking": "parking",
	"versich": "versicherung", "beitr": "beitrag", "assur": "assurance", "cotis": "cotisation", "abo": "abonnement",
}

// expanded writes abbreviations in full. It returns nil where there are none.
func expanded(text []string) []string {
	var full []string
	for i, word := range text {
		long, ok := shortForms[word]
		if !ok {
			continue
		}
		if full == nil {
			full = slices.Clone(text)
		}
		full[i] = long
	}
	return full
}

// Words are the words of a text in lower case without accents and punctuation.
func Words(text string) []string {
	return strings.FieldsFunc(plain(text), func(r rune) bool {
		isLetter := r >= 'a' && r <= 'z' || r > 0x7f
		isDigit := r >= '0' && r <= '9'
		return !isLetter && !isDigit
	})
}

func plain(text string) string {
	isASCII := true
	for i := range len(text) {
		isASCII = isASCII && text[i] < 0x80
	}
	text = strings.ToLower(text)
	if isASCII {
		return text
	}

	text = strings.Map(func(r rune) rune {
		if r >= 0x300 && r < 0x370 {
			return -1
		}
		return r
	}, norm.NFKD.String(text))
	return foreign.Replace(text)
}

// foreign letters that do not decompose.
var foreign = strings.NewReplacer("ß", "ss", "ø", "o", "æ", "ae", "œ", "oe", "ł", "l", "đ", "d", "’", "'")

// matches are the phrases that stand in the words, in no order.
func (l *lexicon) matches(text []string) []*phrase {
	var found []*phrase
	for i, word := range text {
		for _, known := range formsOf(word) {
			for _, p := range l.exact[known] {
				if p.fits(text[i:]) {
					found = append(found, p)
				}
			}
		}
		for _, p := range l.wild {
			if p.fits(text[i:]) {
				found = append(found, p)
			}
		}
	}
	return found
}

// formsOf are a word and its singular.
func formsOf(word string) []string {
	singular, isPlural := strings.CutSuffix(word, "s")
	if isPlural && len(singular) > 3 {
		return []string{word, singular}
	}
	return []string{word}
}

// fits reports whether a phrase begins the words.
func (p *phrase) fits(text []string) bool {
	at := 0
	gap := false
	for _, want := range p.words {
		if want == ".." {
			gap = true
			continue
		}

		for gap && at < len(text) && !wordFits(want, text[at]) {
			at++
		}
		if at >= len(text) || !wordFits(want, text[at]) {
			return false
		}
		gap = false
		at++
	}
	return true
}

func wordFits(want, word string) bool {
	if strings.IndexByte(want, '*') < 0 {
		return want == word || len(want) > 3 && word == want+"s"
	}

	core := strings.Trim(want, "*")
	before := want[0] == '*'
	behind := want[len(want)-1] == '*'
	switch {
	case before && behind:
		return strings.Contains(word, core)
	case before:
		return strings.HasSuffix(word, core)
	}
	return strings.HasPrefix(word, core)
}
