package textkit

// Force says how strongly a directive binds.
type Force int

// The forces, from weak to strong.
const (
	Allows  Force = iota // may, can, is allowed to
	Prefers              // should, prefer, try to, avoid
	Orders               // must, always, never, the bare imperative
)

// Directive is what one clause tells its reader to do or not to do.
type Directive struct {
	// Span covers the clause with its conditions.
	Span Span

	Force Force

	// Negative says that the action is forbidden or unwanted.
	Negative bool

	// Action are the words of what is to be done, from its verb on.
	Action []Word

	// Condition covers "if ...", "when ...", "unless ...", "before ..."; empty when it binds
	// always.
	Condition Span

	// Exception covers what is left out: "except ...", "without ...", "unless ...".
	Exception Span
}

var (
	orders     = setOf("must shall mustn't always never only ensure need needs required mandatory cannot can't")
	preference = setOf("should shouldn't prefer avoid try consider ideally")
	permission = setOf("may can")
	negatives  = setOf("not never no don't doesn't mustn't shouldn't cannot can't won't avoid without refrain stop nothing nobody none neither nor")
	leads      = setOf("always never please do don't not also only ensure just simply instead then and but or so you must should shall may can to be sure make certain try prefer avoid refrain from need needs required mustn't shouldn't can't cannot have has are is allowed permitted i we the agent agents assistant it that")
	exceptFrom = setOf("except unless without until")
)

// Directives returns the directives of a sentence, one for each clause that gives one.
func Directives(s Sentence) []Directive {
	var all []Directive
	clauses := Clauses(s.Words)

	for i := 0; i < len(clauses); i++ {
		d, ok := directiveOf(clauses[i])
		if !ok {
			continue
		}
		if i > 0 && conditions[clauses[i-1].Link] {
			d.addCondition(clauses[i-1])
		}
		for i+1 < len(clauses) && conditions[clauses[i+1].Link] {
			i++
			d.addCondition(clauses[i])
		}
		all = append(all, d)
	}
	return all
}

func (d *Directive) addCondition(c Clause) {
	span := c.Span()
	d.Span.Start = min(d.Span.Start, span.Start)
	d.Span.End = max(d.Span.End, span.End)
	d.Condition = span
	if c.Link == "unless" || c.Link == "until" {
		d.Exception = span
	}
}

func directiveOf(c Clause) (Directive, bool) {
	if conditions[c.Link] || c.Label || len(c.Words) == 0 {
		return Directive{}, false
	}

	d := Directive{Span: c.Span()}
	signalled := false
	at := 0

	for ; at < len(c.Words); at++ {
		w := c.Words[at].Lower
		if negatives[w] {
			d.Negative, signalled = true, true
		}
		switch {
		case orders[w], w == "don't", w == "not":
			d.Force, signalled = max(d.Force, Orders), true
		case preference[w]:
			d.Force, signalled = max(d.Force, Prefers), true
		case permission[w]:
			signalled = true
		}
		if !leads[w] {
			break
		}
	}

	imperative := at < len(c.Words) && isImperative(c.Words, at)
	if !signalled {
		d.Force = Orders
		signalled = imperative
	}
	if !signalled || at >= len(c.Words) {
		return Directive{}, false
	}

	d.Action = c.Words[at:]
	d.Exception = exceptionIn(d.Action)
	return d, true
}

// isImperative reports whether a clause begins with the bare form of a verb.
func isImperative(words []Word, at int) bool {
	w := words[at]
	bare := len(w.Stem) == len(w.Lower) || w.Stem+"e" == w.Lower || w.Stem[:len(w.Stem)-1]+"y" == w.Lower

	return commonVerbs()[w.Stem] && bare
}

func exceptionIn(words []Word) Span {
	for i, w := range words {
		if exceptFrom[w.Lower] {
			return Span{w.Start, words[len(words)-1].End}
		}
		if w.Lower == "only" && i > 0 {
			return Span{w.Start, words[len(words)-1].End}
		}
	}
	return Span{}
}
