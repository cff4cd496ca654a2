package words

import (
	"strings"
	"sync"
)

// set returns the words of a text as a set, made when it is first asked for.
func set(text string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		words := map[string]bool{}
		for _, word := range strings.Fields(text) {
			words[word] = true
		}
		return words
	})
}

// empty are words that say nothing about what an instruction is about. "each" and "every" and words
// of manner that only stress belong to them.
var empty = set(`is are was were been being has had needs does did got get gets a an the this that these those it its it's they them their he she his her we our us
	you your i my me be do have will would shall should must can could may might need to of in on at by
	for with from into onto as and or nor but so if then than when whenever while once until till unless
	before after during about over under above below between out up off through via per each every any
	all both either neither some such same own very just only also too even still ever never not no none
	always please really simply directly directly, strictly explicitly proactively automatically
	immediately straight away once again there here where which who whom whose what how why because since
	let lets kindly absolutely generally usually normally typically possible whenever wherever however
	anywhere anything everything everywhere nothing something someone anyone everyone yourself itself
	themselves myself ourselves hand manually kind sort etc eg ie e.g i.e must mustn't don't doesn't shouldn't can't cannot
	won't n't under no circumstances matter rule rules note important critical remember instead rather
	other another otherwise first second finally last next new existing more most less least many much few
	able allowed forbidden prohibited permitted okay ok fine acceptable required needed necessary mandatory
	expected supposed feel free want like way ways well good best actual actually thing things way
	looks look seems seem appears altogether throughout outright whatsoever upfront afterwards afterward prior following further additional extra given whatever whichever within without
	except regardless always, time times case cases right at all whole entire full fully complete
	completely currently default sure is're aren't isn't we're you're they're part parts
	policy convention standard project codebase clear clearly proper properly appropriate whenever
	btw pls plz hey fyi imo anybody nobody somebody explicit prior must-have proactive direct strict automatic immediate`)

// Empty reports whether a word, in lower case, carries no meaning of its own.
func Empty(lower string) bool { return empty()[lower] || isManner(lower) }

// isManner reports whether a word only says how: an adverb in -ly.
func isManner(lower string) bool {
	return len(lower) > 5 && strings.HasSuffix(lower, "ly") && !notManner()[lower]
}

// notManner are words in -ly that say more than how.
var notManner = set(`reply apply supply family assembly anomaly monopoly comply imply multiply rely friendly daily weekly
	monthly yearly hourly nightly quarterly annually early manually publicly privately locally remotely globally
	partially formally informally casually externally internally anonymously temporarily permanently verbally
	simultaneously sequentially concurrently randomly verbatim politely bluntly briefly friendly elderly deadly
	gradually slowly quickly instantly silently quietly openly loudly`)

// broad are things that nearly every instruction is about, in normal form.
var broad = sync.OnceValue(func() map[string]bool {
	forms := map[string]bool{}
	for _, t := range Read(broadThings) {
		forms[t.Form] = true
	}
	return forms
})

const broadThings = `file code function thing data value line change task command item part work
	text content answer tool project repository name type message step error issue
	component module object result output request list number place page
	comment config variable directory input question information detail product service step
	feature implementation modification update action operation call`

// Broad reports whether a normal form names something so common that it alone makes no two
// instructions alike.
func Broad(form string) bool { return broad()[form] }
