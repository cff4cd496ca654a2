package textkit

import "strings"

// Modality says in which way a clause is meant.
type Modality int

// The modalities, from what is the case to what is only in somebody's mind.
const (
	Stated   Modality = iota // it is so: "the log is signed"
	Demanded                 // must, shall, has to
	Advised                  // should, is supposed to, meant to check, is meant to, are meant to, ideally
	Planned                  // will be added, on the roadmap, to do
	Wished                   // hope, would like, nice to have
	Doubted                  // might, maybe, I think, they claim
	Imagined                 // would, could, if we had
	Past                     // used to, until last year
	Asked                    // a question
)

var (
	advice = NewExactPhrases(`should, ought to, supposed to, meant to check, is meant to, are meant to, ideally, recommended, advisable, expected to, meant to, encouraged to, best practice, in theory, in principle, theoretically`)

	plans = NewExactPhrases(`plan to, plans to, plan is to, to do list, on the agenda, we're evaluating, we are evaluating, are evaluating, haven't decided, not decided, haven't really decided, there's a draft, there is a draft, the idea is, half finished, half built, under discussion, have promised, has promised, still waiting, meaning to, our ambition, ambition is, if we get, if approved, once approved by the board, ideal setup, there will be, plan on, planning to, planned, roadmap, road map, in the backlog, on the backlog, intend, intends, intend to, intention, intentions, aim to, aims to, aiming to, coming soon, soon, is coming, are coming, coming in, going to, in future,
in the future, future release, future version, future versions, next quarter, next year, next month, next sprint, next release, next version, next milestone, later this year, might come later, eventually, some day, someday, one of these days,
sooner or later, in the long run, long term goal, todo, tbd, still to do, to be done, to be decided, to be defined, to be added, to be implemented, to be introduced, under construction, under development, being drafted, being built, being developed, being designed, being discussed,
are drafting, in the works, in development, phase two, phase three, phase 2, phase 3, second phase, third phase, once funding, not yet, has not happened, have not started, has yet to, have yet to, yet to be, there is a ticket, ticket for it, is a ticket, open ticket, by the end of the year, by the end of the quarter,
by the end of 2026, by the end of 2027, by the end of 2028, q1, q2, q3, q4, before go live, proof of concept, draft policy, will add, will implement, will be added, will be able, will be introduced, will be implemented, will get, will soon, we'll add, we'll get, we are working on, we're working on, is working on it, work on adding, want to add,
looking into, look into, looked into, thinking about, thinking of, consider adding, considering, evaluating whether, exploring, investigating whether, as soon as we find, when we find time, when there is time, if time permits, budget permitting, wishlist, wish list, still missing, still to come, not there yet, will come, will follow, will have, will carry, will support,
will build, will roll out, rolling out, piloting, on our list, on the list of things, in autumn, in spring, this summer, this autumn, this spring, this winter`)

	wishes = NewExactPhrases(`hope, hopes, hoping, hope to, wish, wishes, would like, would love, nice to have, would be nice, would be good, would be great, we want to, i want to, they want to, team wants to, dream of, strive, strives, aspire, aspires, aspiration, aspirations, vision is, good idea, not a bad idea, welcome addition, at some point`)

	doubts = NewExactPhrases(`might, maybe, perhaps, possibly, probably, presumably, likely, apparently, allegedly, reportedly, supposedly, arguably, seems, seem to, appears to, appear to, i think, we think, i believe, we believe, i guess, i assume, we assume, we suspect, as far as i know, as far as we know, to my knowledge, not sure whether, unsure whether, unclear, no idea whether,
told us that, vendor pitch, sales pitch, docs claim, have not been able to confirm, not been able to confirm, not able to confirm, somewhere, somehow, or so i am told, claims that, claims to, claims there, claim that, claim to, they claim, vendor claims, it claims, he claims, she claims, claimed that, promised, advertises, according to the brochure, brochure, whitepaper mentions, white paper mentions, page mentions, docs mention, gives no details, no details, on paper, on the slides, slides say, marketing says, vendor says,
they say, sales rep, according to the vendor, according to the sales, so they say, if you believe, someone suggested, we suppose, i suppose, supposed that, said to be, is said to, management states, they state, asked whether, asked who, asked if, wondered whether, couldn't say, could not say, cannot say whether, whether it always, boasts, purports, purportedly, in some form, some kind of, suggested that, on a good day`)

	imagined = NewExactPhrases(`would, could, hypothetically, suppose that, imagine, if we had, in an ideal world, for example if`)

	past = NewExactPhrases(`used to, once upon a time, had to pass, there was a, formerly, earlier versions, years ago, previously, in the past, once had, is no longer, are no longer, no longer the case, no longer happens, no longer have, no longer use, no longer used, no longer required, no longer exists, no longer runs, until last year, until recently, back then,
was removed, were removed, was dropped, were dropped, was disabled, was switched off, was turned off, is commented out, was abandoned, was retired`)

	demands = NewExactPhrases(`must, shall, has to, have to, needs to, need to, required to, is required, are required, mandatory, obligatory, obliged to, is to be, are to be`)
)

// ModalityOf returns the modality of words of one clause. The weakest claim counts.
func ModalityOf(words []Word) Modality {
	switch {
	case doubts.In(words):
		return Doubted
	case wishes.In(words):
		return Wished
	case plans.In(words):
		return Planned
	case advice.In(words):
		return Advised
	case inPast(words):
		return Past
	case isImagined(words):
		return Imagined
	case demands.In(words):
		return Demanded
	}
	return Stated
}

// inPast reports "used to require", but not "is used to check".
func inPast(words []Word) bool {
	at := past.Find(words)
	if at < 0 {
		return false
	}
	return words[at].Lower != "used" || at == 0 || !IsAuxiliary(words[at-1]) && words[at-1].Lower != "be"
}

// isImagined reports "would" and "could", but not "could not": that tells of a try.
func isImagined(words []Word) bool {
	at := imagined.Find(words)
	if at < 0 {
		return false
	}
	return at+1 >= len(words) || words[at+1].Lower != "not" && !strings.HasSuffix(words[at].Lower, "n't")
}
