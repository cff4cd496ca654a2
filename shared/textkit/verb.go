package textkit

import (
	"strings"
	"sync"
)

// auxiliaries are finite whatever stands around them.
var auxiliaries = setOf(`is are am was were has have had does do did can could may might must shall should will would
isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't can't cannot couldn't mayn't mightn't mustn't shan't shouldn't won't wouldn't
it's that's there's he's she's we're they're you're i'm we've they've you've i've we'll they'll you'll i'll he'll she'll it'll we'd they'd you'd i'd gets goes`)

// subjects start a clause of their own after "and".
var subjects = setOf(`i you he she it we they this that these those there nobody nothing everyone everybody someone anybody no each every all its our their the a an`)

// commonVerbs are stems of verbs that texts about software and work use. A form of one of them
// with -s or -ed is taken for a finite verb; in instructions the bare form is, too.
var commonVerbs = sync.OnceValue(func() map[string]bool {
	verbs := map[string]bool{}
	for _, verb := range strings.Fields(`accept act add agree allow alter answer appear append apply approve archive ask assign attach attempt audit authenticate authorise authorize avoid
base begin belong block book break bring build bump buy call capture carry catch cause change check choose claim clean clear close collect come commit compare compile compute confirm connect consider contain continue control copy cost cover crash create
decide declare define delete deliver deny depend deploy describe detect die disable discard discuss display do document download draft drive drop edit email emit enable end enforce ensure enter erase escalate evaluate examine exclude execute exit expect expire explain export expose
fail fall fetch file fill find finish fix flag flow follow force forget format forward gate generate get give go grant grow guard guess halt handle happen have help hide hit hold hope
identify ignore implement import improve include inform inherit inject insert inspect install instruct intend introduce invent invoke isolate issue join judge keep kill know label land launch leave let limit link lint list listen live load lock log look lose love
maintain make manage mark mask match mean measure mention merge mind modify monitor mount move name need note notify obey offer open operate order output overwrite own page pass pause pay perform permit pick place plan play point post prefer prepare present press prevent print proceed process produce propose protect prove provide publish pull purge push put
quarantine query quote raise reach read receive recite recompute record redact refactor refer refuse reject release rely rely remain remember remind remove rename repeat replace reply report request require reset resolve respond restart restore restrict resume retain return reveal revert review rewrite rotate route run
sample save say scan schedule see seem sell send separate serve set share ship show sign sit skip sleep sort spawn specify speak spend stage stamp stand start state stay stop store submit suggest summarize support suspend switch tag take talk tell test think throw touch trace track train transfer translate treat trigger trust try turn type undo update upload use validate verify view visit
wait walk want warn watch wipe withhold work wrap write`) {
		verbs[Stem(verb)] = true
	}
	return verbs
})

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}

// IsAuxiliary reports whether a word is a form of be, have or do, or a modal verb.
func IsAuxiliary(w Word) bool { return auxiliaries[w.Lower] }

// isFinite reports whether the word at a place looks like a finite verb.
func isFinite(words []Word, at int) bool {
	w := words[at]
	if auxiliaries[w.Lower] {
		return true
	}
	if !commonVerbs()[w.Stem] {
		return false
	}

	switch {
	case isThird(w):
		return !nounVerbs()[w.Stem] || hasObject(words, at)
	case isPast(w):
		return true
	}
	return at > 0 && w.Break == "" && isSubject(words[at-1])
}

// isPast reports whether a verb is not in its bare form: "approved", "wrote".
func isPast(w Word) bool {
	return w.Stem != w.Lower && !strings.HasSuffix(w.Lower, "ing")
}

// isThird reports whether a word ends like the third person.
func isThird(w Word) bool {
	return strings.HasSuffix(w.Lower, "s") && !strings.HasSuffix(w.Lower, "ss")
}

// isSubject reports whether the bare form of a verb may follow a word.
func isSubject(w Word) bool { return pronouns[w.Lower] || isPlural(w) }

// nounVerbs are stems of verbs whose form with -s is more often the plural of a noun.
var nounVerbs = sync.OnceValue(func() map[string]bool {
	verbs := map[string]bool{}
	for _, verb := range strings.Fields(`run control gate log file list name label point place end hand link limit lock mask match mark mount note order output page plan process
record report request review schedule score set share stage stamp start stop store support switch tag test track transfer trigger use view watch work call change check claim comment
cover display document download edit email escape exit export filter flow format guard help hold import insert issue land look measure notice offer play post print query quote
release repeat reply reset result return scan search show sign sleep spawn state step trace type update upload visit wait walk warn write audit act block build book answer cause approach`) {
		verbs[Stem(verb)] = true
	}
	return verbs
})

// hasObject reports whether something follows a word that an object or adverb begins with.
func hasObject(words []Word, at int) bool {
	if at+1 >= len(words) || words[at+1].Break != "" {
		return false
	}
	return objects[words[at+1].Lower]
}

var objects = setOf(`a an the every each all any no its their our his her my it them him us me this that these those what whatever who which to in into on up off down out through by with from for over
everything anything nothing everybody nobody only not first itself after before both two three one how when where whether at against as without`)

// isPlural reports whether a word looks like a noun in the plural.
func isPlural(w Word) bool {
	return len(w.Lower) > 3 && strings.HasSuffix(w.Lower, "s") && !strings.HasSuffix(w.Lower, "ss") && !strings.HasSuffix(w.Lower, "us") && w.Stem != w.Lower
}

var pronouns = setOf(`i you he she it we they who which that people users customers agents bots staff`)

// IsActive reports whether the word at a place looks like a verb in the third person, whose object
// follows: "says", "blocks what".
func IsActive(words []Word, at int) bool {
	return isThird(words[at]) && !IsAuxiliary(words[at]) && isFinite(words, at)
}

// HasVerb reports whether words hold a finite verb.
func HasVerb(words []Word) bool {
	for i := range words {
		if isFinite(words, i) {
			return true
		}
	}
	return false
}
