package conflict

import (
	"strings"
	"sync"

	"governance.internal/functions/agent-therapy/directive"
	"governance.internal/functions/agent-therapy/words"
)

// violations lists, for an action that is forbidden, the actions that go against it. An action
// always goes against itself.
const violations = `
use: have include add write create give show make begin format put enable prefer run call install open print answer present test cover access log style import export declare wrap return throw log comment build keep start end mark speak leave attach
edit: fix update rename refactor format add write reformat upgrade delete move modernise modernize improve optimise optimize simplify extend convert polish restructure correct clean annotate convert amend
change: edit fix update rename refactor add write
create: write add make generate
add: create write include install put introduce give
write: create add edit put give log comment include print store
leave: add keep include write create
include: leave add write show give use create print put cite
have: use add include write create
give: offer recommend tell show provide reveal explain write include answer send diagnose
provide: give offer recommend tell
reveal: show tell print give include send log explain quote read
show: reveal print tell give include send
print: show log reveal
tell: reveal show give explain send
log: print write store record include reveal
see: show reveal print tell
paste: give include write send add link
store: log collect track write keep commit
collect: store ask track log
fetch: open read search use call access visit
search: fetch use
connect: use access read query write fetch run
access: read open connect use fetch write search download browse query call
read: open access use print show fetch
run: use call test
call: use run
offer: give recommend grant send
recommend: give offer tell prefer
delete: clean
send: post notify give call
deploy: publish release push
publish: release deploy push
install: add use run
delegate: use create run
skip: disable ignore suppress bypass
disable: skip bypass suppress
bypass: skip disable ignore
ignore: skip bypass suppress disable
assume: proceed
store: log
escalate: send transfer delegate
refactor: edit rename move rewrite
mock: use create
touch: edit
wait: ask
ask: collect
stop: interrupt
interrupt: stop kill cancel abort terminate
discuss: mention tell compare recommend answer explain reveal give
mention: tell compare recommend discuss show
name: use
speak: use write answer
answer: write speak give
commit: create add
comment: write add
edit_: edit
cite: include add give link
`

// violators returns the table of violations by normal form.
var violators = sync.OnceValue(func() map[string]map[string]bool {
	table := map[string]map[string]bool{}
	for line := range strings.Lines(violations) {
		name, others, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			continue
		}
		form := formOf(name)
		if table[form] == nil {
			table[form] = map[string]bool{form: true}
		}
		for other := range strings.FieldsSeq(others) {
			table[form][formOf(other)] = true
		}
	}
	return table
})

// formOf returns the normal form of one word.
func formOf(word string) string {
	if forms := words.Forms(word); len(forms) == 1 {
		return forms[0]
	}
	return word
}

// goesAgainst reports whether doing one action violates the prohibition of another. What must not be
// used is used by everything that is done with it, but for what only deals with it.
func goesAgainst(forbidden, done string) bool {
	if forbidden == directive.Use && !dealing()[done] || producing()[forbidden] && producing()[done] {
		return true
	}
	return forbidden == done || violators()[forbidden][done]
}

// producing are actions by which something comes to be there, in normal form.
var producing = sync.OnceValue(func() map[string]bool { return formsOf(producingActions) })

const producingActions = `make create open raise submit file write add produce emit issue introduce insert include build
	generate draft compose craft`

// formsOf returns the normal forms of some words.
func formsOf(text string) map[string]bool {
	forms := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		forms[formOf(word)] = true
	}
	return forms
}

// dealing are actions on a thing that do not use it, in normal form.
var dealing = sync.OnceValue(func() map[string]bool {
	forms := formsOf(dealingActions)
	forms[""] = true
	return forms
})

const dealingActions = `delete remove avoid check verify validate review audit fix report replace convert migrate count find
	detect explain ask stop skip ignore disable reject refuse omit exclude bypass limit reduce minimise minimize
	prevent monitor handle treat consider mention discuss describe document track compare read understand know remember
	learn see look expect assume escalate flag warn resolve clean rewrite rework rename move edit change update tell say
	block strip mask redact hide protect forbid wait need prefer be let help follow respect preserve keep test`
