package conflict

import (
	"slices"
	"strings"

	"governance.internal/functions/agent-therapy/contrast"
	"governance.internal/functions/agent-therapy/directive"
	"governance.internal/functions/agent-therapy/document"
	"governance.internal/functions/agent-therapy/meaning"
	"governance.internal/functions/agent-therapy/words"
)

// saying is a sentence with what is compared of it.
type saying struct {
	document  *document.Document
	statement *document.Statement
	at        int // index of the statement
	parts     []*part

	tokens  []words.Token
	denied  []bool // of each token
	bag     bag    // of all words with a meaning
	text    string // the words in lower case, between spaces
	sides   []int  // of contraries
	matters []int  // of which it speaks
	paces   []string
	days    []string
	refusal int // number of words that deny
	cues    [cues]bool
	amounts []amount
	orders  []stepOrder

	meaning  meaning.Vector
	sentence *contrast.Sentence // once the network read it
	weights  ranking            // what it shares with each other saying
	alikes   ranking            // how alike it is to those near it
}

// amount is a number with its unit.
type amount struct {
	value float64
	unit  string
}

// stepOrder says that one step comes before another.
type stepOrder struct{ early, late []string }

// part is a directive of a saying.
type part struct {
	*candidate
	bag     bag
	every   []string
	object  []string
	near    []int // sides of contraries that stand beside a form
	stances map[int]stance
	amounts []quantity
	places  []string
	slots   map[string][]string // things by the preposition in front of them
	asks    bool
	goes    bool
}

// sayings returns the sentences of the directives.
func (f *finder) sayings() []*saying {
	byStatement := map[*document.Statement]*saying{}
	var all []*saying
	for _, c := range f.all {
		s := byStatement[c.Sentence()]
		if s == nil {
			s = newSaying(c, f.table)
			byStatement[c.Sentence()] = s
			all = append(all, s)
		}
		s.addPart(c)
	}
	return all
}

// mostWords is how many words of a sentence are compared; a longer one is no instruction.
const mostWords = 160

func newSaying(c *candidate, table *meaning.Table) *saying {
	tokens := words.Read(c.Sentence().Text)
	s := &saying{
		document:  c.Document,
		statement: c.Sentence(),
		at:        c.Statement,
		tokens:    tokens[:min(len(tokens), mostWords)],
	}
	s.meaning = table.Of(c.Sentence().Text)
	s.denied = signsOf(s.tokens)
	s.readTokens()

	s.paces = named(s.text, paces)
	s.days = named(s.text, days)
	for _, word := range refusing {
		s.refusal += strings.Count(s.text, word)
	}
	for i, list := range cueWords {
		s.cues[i] = containsAny(s.text, list...)
	}
	return s
}

// refusing are words that deny or forbid.
var refusing = spaced("not no never don't without nothing cannot nobody avoid refrain mustn't neither nor won't isn't aren't doesn't can't taboo")

// spaced returns words with a space on each side.
func spaced(text string) []string {
	var list []string
	for word := range strings.FieldsSeq(text) {
		list = append(list, " "+word+" ")
	}
	return list
}

// readTokens collects forms, sides and amounts.
func (s *saying) readTokens() {
	var text, stems strings.Builder
	text.WriteByte(' ')
	stems.WriteByte(' ')
	var forms []string

	for i, t := range s.tokens {
		text.WriteString(t.Lower)
		text.WriteByte(' ')
		stems.WriteString(stemmed(t.Lower))
		if !t.Mark && (t.Code || !words.Empty(t.Lower)) {
			forms = appendOnce(forms, t.Form)
		}
		s.addAmount(i, t)
	}

	s.bag = newBag(forms)
	s.text = text.String()
	s.sides = contrarySides().in(stems.String())
	s.matters = relatedMatters().in(stems.String())
	for _, side := range s.sides {
		s.matters = appendOnce(s.matters, matterOfSide(side))
	}
}

func (s *saying) addAmount(at int, t words.Token) {
	value, ok := numberOf(t)
	if !ok || t.Lower == "one" {
		return
	}
	unit, _ := unitOf(s.tokens, at, t)
	if unit == "" {
		unit = impliedUnit(s.tokens)
	}
	if unit != "" {
		s.amounts = append(s.amounts, amount{value * factorOf(unit), baseUnit(unit)})
	}
}

// mostParts is how many directives of a sentence are compared.
const mostParts = 6

// addPart adds a directive of the sentence.
func (s *saying) addPart(c *candidate) {
	if len(s.parts) == mostParts {
		return
	}
	p := &part{
		candidate: c,
		every:     everyForm(c.Directive),
		object:    objectOf(c.Directive),
		stances:   c.choices(),
		amounts:   quantitiesOf(c),
		places:    placesOf(c.Directive),
	}

	var forms []string
	for _, form := range p.every {
		if form != "" && form != directive.Use {
			forms = append(forms, form)
		}
	}
	p.bag = newBag(forms)
	p.near = beside(c.Whole, forms)
	p.readSlots()
	if g, ok := gateOf(c); ok {
		p.asks, p.goes = g.asks, !g.asks
	}

	s.addOrders(c)
	s.parts = append(s.parts, p)
}

// readSlots collects what stands behind each preposition.
func (p *part) readSlots() {
	p.slots = map[string][]string{}
	at := ""
	for _, t := range p.Core {
		switch {
		case isManner(t) || t.Lower == "on" || t.Lower == "at" || t.Lower == "via":
			at = t.Lower
		case at != "" && slices.Contains(p.Things, t.Form):
			p.slots[at] = append(p.slots[at], t.Form)
		}
	}
}

// addOrders collects which steps come before others.
func (s *saying) addOrders(c *candidate) {
	done := actedOn(c.Directive)
	if len(done) == 0 {
		return
	}
	if len(c.Before) > 0 {
		s.orders = append(s.orders, stepOrder{done, c.Before})
	}
	if len(c.After) > 0 {
		s.orders = append(s.orders, stepOrder{c.After, done})
	}
	if len(s.parts) == 0 {
		return
	}

	previous := s.parts[len(s.parts)-1].Directive
	first := actedOn(previous)
	follows := hasWord(previous, "first") || hasWord(c.Directive, "then", "afterwards", "later", "only", "finally", "once")
	if follows && len(first) > 0 {
		s.orders = append(s.orders, stepOrder{first, done})
	}
}

// textWithout returns the words with a meaning that another saying does not name.
func (s *saying) textWithout(other *saying) string {
	var rest strings.Builder
	for _, t := range s.tokens {
		if slices.Contains(s.bag.forms, t.Form) && !other.bag.like[t.Form] {
			rest.WriteString(t.Lower)
			rest.WriteByte(' ')
		}
	}
	return rest.String()
}

func (s *saying) speaksOf(matter int) bool { return slices.Contains(s.matters, matter) }

// firstForm returns the first word with a meaning; empty without one.
func (s *saying) firstForm() string {
	if len(s.bag.forms) == 0 {
		return ""
	}
	return s.bag.forms[0]
}
