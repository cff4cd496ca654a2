package conflict

import (
	"math/bits"
	"slices"

	"governance.internal/functions/agent-therapy/directive"
)

// trait is one number that tells how two sayings relate.
type trait int

// The traits of two sayings, and of the two parts of them that are nearest to each other. A share is in
// hundredths; rarity.go tells what forms weigh.
const (
	sharedWeight trait = iota // of what both name
	sharedRarest
	sharedNarrow // number of shared forms that are not broad
	sharedOnly   // weight of those that no other sentence names
	elsewhere    // of the rarest shared form: how many other sentences name it
	coverLess    // share of what one names that the other names too, the smaller one
	coverMore
	restLess // weight of what only one of them names
	restMore
	lengthLess
	lengthMore
	distance // between the statements
	start    // of the earlier one
	sameHeading
	meantAlike // in thousandths
	alikeRankLess
	alikeRankMore
	alikeLeadLess
	alikeLeadMore
	alikeAbove      // how many pairs are more alike
	alikeAboveShare // the same, for ten sentences
	restAlike       // what each says that the other does not
	rankLess        // how many sentences share more with one of the two
	rankMore
	leadLess // what the two share more than one of them shares with any other sentence
	leadMore
	sidesFacing
	sidesBeside // those that stand near what both name
	signsApart  // weight of shared forms that one affirms and the other denies
	signsAlike
	refusalDiffers
	refusedByBoth
	pacesDiffer
	pacesAlike
	onePaced
	daysDiffer
	daysAlike
	oneDayed
	unitsDiffer
	unitsAlike
	oneUnit
	orderTurned
	orderAlike
	sameStart
	mattersShared
	mattersOnly // those that no other sentence speaks of
	matterElsewhere
	sentences // of all documents

	cueOpenEnd // of how many of the two; the cues are in the order of cueWords
	cueRelative
	cueCondition
	cueException
	cueOnly
	cueLeave
	cueAll
	cueProhibition
	cuePerson
	cueAddress
	cueReason

	partWeight // of what both parts name
	partCoverLess
	partCoverMore
	objectCover
	sameAct
	againstAct
	antonymAct
	unknownAct
	signsDiffer
	bothNegative
	weakerStrength
	strongerStrength
	anyMay
	anyUniversal
	anyOnly
	conditions
	conditionCover
	conditionContrary
	exceptions
	exceptedCover
	sidesNear
	numbersDiffer
	numbersAlike
	oneNumber
	asksAndGoes
	choiceDiffers
	choiceAlike
	refusedTaken
	placesApart
	placesShared
	slotDiffers
	literalShared
	literalDiffers
	otherKinds
	otherRange
	familiesApart
	settings
	labels

	foundOpposite // which rule found the pair; in the order of ruleCodes
	foundApproval
	foundChoice
	foundPreference
	foundOnly
	foundNumber
	foundOrder

	// Traits is how many numbers a likeness has.
	Traits
)

// ruleCodes are the codes of the rules.
var ruleCodes = []string{"opposite", "approval", "choice", "preference", "only", "number", "order"}

const cues = int(cueReason-cueOpenEnd) + 1

// cueWords are words that tell how something is said.
var cueWords = [cues][]string{
	{" any ", " however ", " unlimited ", " as many ", " as much ", " as long ", " whenever ", " no limit ", " without a limit ", " without limit ", " regardless ", " no matter ", " whatever ", " freely ", " feel free "},
	{" that ", " which ", " who ", " whose "},
	{" if ", " when ", " whenever ", " in case ", " while ", " during ", " where "},
	{" unless ", " except ", " until ", " other than ", " apart from ", " except for "},
	{" only ", " solely ", " exclusively ", " nothing else ", " alone "},
	{" may ", " can ", " feel free ", " fine ", " okay ", " ok ", " allowed ", " welcome ", " no need ", " need not "},
	{" always ", " every ", " each ", " all ", " any ", " everything ", " everyone ", " throughout ", " anywhere ", " everywhere "},
	{" never ", " no ", " not ", " don't ", " do not ", " avoid ", " without ", " nothing ", " must not ", " cannot "},
	{" human ", " person ", " staff ", " manager ", " reviewer ", " maintainer ", " team ", " engineer ", " supervisor ", " lead ", " owner "},
	{" you ", " your ", " yourself ", " agent ", " assistant "},
	{" because ", " since ", " so that ", " as ", " otherwise "},
}

// Likeness holds the traits of a pair.
type Likeness [Traits]int

func (l *Likeness) set(t trait, yes bool) {
	if yes {
		l[t] = 1
	}
}

// either notes of how many of two sayings something is true.
func (l *Likeness) either(t trait, a, b bool) {
	for _, yes := range []bool{a, b} {
		if yes {
			l[t]++
		}
	}
}

// likenessOf returns the traits of two sayings; spread says how many sentences name what, and neighbours how
// alike others are.
func likenessOf(a, b *saying, spread *spread, neighbours *neighbours) Likeness {
	var l Likeness
	l.compareMeaning(a, b, neighbours)
	l.compareRanks(a, b, spread)
	l.compareForms(a, b, spread)
	l.compareMatters(a, b, spread)
	l.comparePosition(a, b)
	l.compareWords(a, b)
	l.compareAmounts(a, b)
	l.compareOrders(a, b)

	best, most := l, -1
	for _, p := range a.parts {
		for _, q := range b.parts {
			one := l
			one.compareParts(p, q)
			if near := one.nearness(); near > most {
				best, most = one, near
			}
		}
	}

	return best
}

// compareRanks tells how the weight that two sayings share ranks among what each shares with others.
func (l *Likeness) compareRanks(a, b *saying, spread *spread) {
	toB := spread.weight(a, b)
	toA := spread.weight(b, a)

	l.setBoth(rankLess, a.weights.above(toB), b.weights.above(toA))

	leadOfA := toB - a.weights.bestBut(toB)
	leadOfB := toA - b.weights.bestBut(toA)
	l.setBoth(leadLess, leadOfA, leadOfB)
}

// compareMeaning tells how alike two sayings are, and how that ranks among others.
func (l *Likeness) compareMeaning(a, b *saying, neighbours *neighbours) {
	n := alikeness(a, b)
	above := neighbours.above[n]
	l[meantAlike] = n
	l[alikeAbove] = above
	l[alikeAboveShare] = 10 * above / len(neighbours.nearest)

	l.setBoth(alikeRankLess, a.alikes.above(n), b.alikes.above(n))
	leadOfA := n - a.alikes.bestBut(n)
	leadOfB := n - b.alikes.bestBut(n)
	l.setBoth(alikeLeadLess, leadOfA, leadOfB)

	rest := neighbours.table.Of(a.textWithout(b))
	restOfB := neighbours.table.Of(b.textWithout(a))
	l[restAlike] = rest.Alike(&restOfB)
}

// nearness tells which parts of two sayings are about the same.
func (l *Likeness) nearness() int {
	apart := l[signsDiffer] + l[choiceDiffers] + l[numbersDiffer]
	return l[partWeight] + 16*apart
}

func (l *Likeness) compareForms(a, b *saying, spread *spread) {
	shared := a.bag.in(b.bag)
	fewest := spread.sentences
	for _, form := range shared {
		weight := weightOf(form)
		others := spread.others(form)
		if weight > weightOfBroad {
			l[sharedNarrow]++
			fewest = min(fewest, others)
		}
		if others == 0 {
			l[sharedOnly] += weight
		}
		l[sharedRarest] = max(l[sharedRarest], weight)
	}
	l[elsewhere] = bits.Len(uint(fewest))

	weight := weigh(shared)
	back := weigh(b.bag.in(a.bag))
	l[sharedWeight] = weight
	l.compareCover(coverLess, a.bag, b.bag, weight, back)
	l.setBoth(restLess, a.bag.weight-weight, b.bag.weight-back)
	l.setBoth(lengthLess, len(a.bag.forms), len(b.bag.forms))

	l.compareSigns(a, b, shared)
}

// compareCover enters which share of the weight of each bag the other one names.
func (l *Likeness) compareCover(less trait, a, b bag, ofA, ofB int) {
	shareOfA := percentOf(ofA, a.weight)
	shareOfB := percentOf(ofB, b.weight)
	l.setBoth(less, shareOfA, shareOfB)
}

func (l *Likeness) compareMatters(a, b *saying, spread *spread) {
	fewest := spread.sentences
	for _, matter := range a.matters {
		if !b.speaksOf(matter) {
			continue
		}

		others := len(spread.speaking[matter]) - 2
		fewest = min(fewest, others)
		l[mattersShared]++
		if others == 0 {
			l[mattersOnly]++
		}
	}

	l[matterElsewhere] = bits.Len(uint(fewest))
	l[sentences] = bits.Len(uint(spread.sentences))
}

// setBoth enters two numbers, the smaller one first.
func (l *Likeness) setBoth(less trait, a, b int) {
	l[less] = min(a, b)
	l[less+1] = max(a, b)
}

// compareSigns compares how the shared forms stand in two sayings, and what stands beside them.
func (l *Likeness) compareSigns(a, b *saying, shared []string) {
	for _, form := range shared {
		signA, signB := a.signOf(form), b.signOf(form)
		switch {
		case signA == unnamed || signB == unnamed:
		case signA|signB == mixed && signA != mixed && signB != mixed:
			l[signsApart] += weightOf(form)
		default:
			l[signsAlike] += weightOf(form)
		}
	}
	if l[sharedNarrow] > 0 {
		l[sidesBeside] = facing(beside(a.tokens, shared), beside(b.tokens, shared))
	}
}

// otherDocument is the distance of statements in two documents.
const otherDocument = 6

func (l *Likeness) comparePosition(a, b *saying) {
	first := min(a.at, b.at)
	last := max(a.at, b.at)
	l[start] = bits.Len(uint(first))
	l[distance] = bits.Len(uint(last - first))
	if a.document != b.document {
		l[distance] = otherDocument
	}

	isSame := slices.Equal(a.statement.Under, b.statement.Under)
	l.set(sameHeading, isSame)
}

func (l *Likeness) compareWords(a, b *saying) {
	l[sidesFacing] = facing(a.sides, b.sides)

	oneTurns := a.refusal%2 != b.refusal%2
	bothRefuse := a.refusal > 0 && b.refusal > 0
	l.set(refusalDiffers, oneTurns)
	l.set(refusedByBoth, bothRefuse)

	for i := range cues {
		cue := cueOpenEnd + trait(i)
		l.either(cue, a.cues[i], b.cues[i])
	}
	l.set(sameStart, a.firstForm() == b.firstForm())
}

func (l *Likeness) compareAmounts(a, b *saying) {
	l.compareNames(pacesDiffer, a.paces, b.paces)
	l.compareNames(daysDiffer, a.days, b.days)

	for _, x := range a.amounts {
		for _, y := range b.amounts {
			l.compareAmount(x, y)
		}
	}
	l.setOne(oneUnit, len(a.amounts), len(b.amounts))
}

func (l *Likeness) compareAmount(x, y amount) {
	if x.unit != y.unit {
		return
	}
	l.set(unitsDiffer, x.value != y.value)
	l.set(unitsAlike, x.value == y.value)
}

// compareNames enters whether names differ, are alike, or are in one saying only.
func (l *Likeness) compareNames(differ trait, a, b []string) {
	l.set(differ, areApart(a, b))
	l.set(differ+1, share(a, b) > 0)
	l.setOne(differ+2, len(a), len(b))
}

// setOne enters whether only one of two lists has anything.
func (l *Likeness) setOne(t trait, a, b int) {
	onlyA := a > 0 && b == 0
	onlyB := b > 0 && a == 0
	l.set(t, onlyA || onlyB)
}

func (l *Likeness) compareOrders(a, b *saying) {
	for _, x := range a.orders {
		for _, y := range b.orders {
			l.set(orderTurned, matches(x.early, y.late) && matches(x.late, y.early))
			l.set(orderAlike, matches(x.early, y.early) && matches(x.late, y.late))
		}
	}
}

func (l *Likeness) compareParts(a, b *part) {
	shared := a.bag.in(b.bag)
	weight := weigh(shared)
	back := weigh(b.bag.in(a.bag))
	l[partWeight] = weight
	l.compareCover(partCoverLess, a.bag, b.bag, weight, back)
	l[objectCover] = min(coverOf(a.object, b.object), coverOf(b.object, a.object))

	for _, form := range shared {
		if !sameKind(a.Core, b.Core, form) {
			l[otherKinds]++
		}
	}

	l.compareActs(a.Action, b.Action)
	l.compareStrength(a.Directive, b.Directive)
	l.compareCases(a, b)
	l.compareChoices(a, b)
	l.comparePlaces(a, b)
	l.compareQuantities(a, b)
}

// coverOf returns how many of some forms occur in others, in hundredths.
func coverOf(forms, others []string) int { return int(100 * share(forms, others)) }

func (l *Likeness) compareActs(a, b string) {
	l.set(unknownAct, !isAct(a) || !isAct(b))
	if isAct(a) && isAct(b) {
		l.set(sameAct, a == b)
		l.set(againstAct, goesAgainst(a, b) || goesAgainst(b, a))
	}
	l.set(antonymAct, areAntonyms(a, b) || areAntonyms(b, a))
}

// isAct reports whether an action says something by itself.
func isAct(action string) bool { return action != "" && action != directive.Use }

func areAntonyms(a, b string) bool { return slices.Contains(antonyms, [2]string{a, b}) }

func (l *Likeness) compareStrength(a, b *directive.Directive) {
	l.set(signsDiffer, a.Negative != b.Negative)
	l.set(bothNegative, a.Negative && b.Negative)
	l.set(anyUniversal, a.Universal || b.Universal)
	l.set(anyOnly, a.Only || b.Only)

	weaker := min(a.Strength, b.Strength)
	stronger := max(a.Strength, b.Strength)
	l[weakerStrength] = int(weaker)
	l[strongerStrength] = int(stronger)
	l.set(anyMay, weaker == directive.May || stronger == directive.May)
}

func (l *Likeness) compareCases(a, b *part) {
	for _, p := range []*part{a, b} {
		l.count(conditions, len(p.When))
		l.count(exceptions, len(p.Except))
		l.count(labels, len(p.Whole)-len(p.Core))
	}
	l.either(settings, a.Setting, b.Setting)

	l.compareExceptions(a, b)
	l.set(conditionContrary, isContrary(a.Case, b.Case))
	l.set(otherRange, isOtherRange(a.Core, b.Core))

	areApart := a.circumstances.Exclude(b.circumstances, "")
	l.set(familiesApart, areApart)
}

// compareExceptions compares the condition and the exception of each part with what the other is about.
func (l *Likeness) compareExceptions(a, b *part) {
	whenA := coverOf(a.When, b.every)
	whenB := coverOf(b.When, a.every)
	l[conditionCover] = max(whenA, whenB)

	exceptA := coverOf(a.Except, b.every)
	exceptB := coverOf(b.Except, a.every)
	l[exceptedCover] = max(exceptA, exceptB)
}

// count notes that a list has anything.
func (l *Likeness) count(t trait, length int) {
	if length > 0 {
		l[t]++
	}
}

func (l *Likeness) compareChoices(a, b *part) {
	for at, x := range a.stances {
		y, both := b.stances[at]
		switch {
		case !both:
		case allAxes().list[at].clash(x, y):
			l[choiceDiffers]++
		default:
			l[choiceAlike]++
		}
	}

	asksFirst := a.asks && b.goes
	asksLast := b.asks && a.goes
	l.set(asksAndGoes, asksFirst || asksLast)

	refusedByA := coverOf(a.Instead, b.bag.forms)
	refusedByB := coverOf(b.Instead, a.bag.forms)
	l[refusedTaken] = max(refusedByA, refusedByB)
	l[sidesNear] = facing(a.near, b.near)
}

func (l *Likeness) comparePlaces(a, b *part) {
	l.set(placesApart, areApart(a.places, b.places))
	l.set(placesShared, share(a.places, b.places) > 0)
	for preposition, x := range a.slots {
		l.set(slotDiffers, areApart(x, b.slots[preposition]))
	}

	for _, form := range a.Literal {
		if slices.Contains(b.Literal, form) {
			l[literalShared]++
		}
	}
	bothNameOne := len(a.Literal) > 0 && len(b.Literal) > 0
	l.set(literalDiffers, bothNameOne && l[literalShared] == 0)
}

func (l *Likeness) compareQuantities(a, b *part) {
	for _, x := range a.amounts {
		for _, y := range b.amounts {
			l.compareQuantity(x, y)
		}
	}
	l.setOne(oneNumber, len(a.amounts), len(b.amounts))
}

func (l *Likeness) compareQuantity(x, y quantity) {
	if x.unit != y.unit {
		return
	}
	l.set(numbersDiffer, incompatible(x, y))
	l.set(numbersAlike, x.value == y.value)
}
