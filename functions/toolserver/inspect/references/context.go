package references

import (
	"regexp"
	"strings"
)

// sentence is what stands before and after a code mark, in lower case and with all other
// marks blanked.
type sentence struct {
	before, after string
}

// sentenceOf is the sentence around an item. In a table it is the row.
func sentenceOf(it item) sentence {
	text := it.passage.text
	at := it.offset - it.passage.offset
	if at < 0 || at > len(text) {
		return sentence{}
	}

	start, end := 0, len(text)
	if !it.passage.row {
		start = lastStop(text[:at])
		end = at + firstStop(text[at:])
	}

	before := strings.TrimRight(text[start:at], "`")
	_, after, _ := strings.Cut(text[at:end], "`")
	return sentence{
		before: blanked(before),
		after:  blanked(strings.TrimLeft(after, "`")),
	}
}

var (
	stop      = regexp.MustCompile(`[.!?;]["')*_]*\s`)
	shortened = regexp.MustCompile(`(?i)\b(?:e\.g|i\.e|etc|vs|cf|resp|approx|no)\.$`)
	spaces    = regexp.MustCompile(`[\s>]+`)
)

// lastStop is where the last sentence of a text begins.
func lastStop(text string) (start int) {
	for _, found := range stop.FindAllStringIndex(text, -1) {
		if !shortened.MatchString(text[:found[0]+1]) {
			start = found[1]
		}
	}
	return start
}

// firstStop is where the first sentence of a text ends.
func firstStop(text string) int {
	for _, found := range stop.FindAllStringIndex(text, -1) {
		if !shortened.MatchString(text[:found[0]+1]) {
			return found[0]
		}
	}
	return len(text)
}

// blanked is a text whose code marks are one character each.
func blanked(text string) string {
	text = codeMark.ReplaceAllString(text, "`")
	text = strings.NewReplacer("*", "", "’", "'").Replace(text)
	text = spaces.ReplaceAllString(text, " ")
	return strings.ToLower(text)
}

// Words that tell that something is not there, is no more, or never was meant to be.
var (
	gone = regexp.MustCompile(`\b(?:removed|deleted|dropped|formerly|previously|deprecated|obsolete|renamed|replaced|superseded` +
		`|retired|defunct|moved|became|went away|used to|no longer|no more|there is no|there are no|there was|there were` +
		`|doesn't exist|does not exist|don't exist|do not exist|didn't exist|not exist yet|not yet|until v?\d|prior to v?\d|before v?\d` +
		`|(?:ours|we|this project) (?:doesn't|does not|don't|do not|has no|have no|has none|have none)|todo|planned|upcoming|proposed|in the future|roadmap|historical(?:ly)?)\b|~~`)
	supposed = regexp.MustCompile(`\b(?:for example|for instance|suppose|supposing|imagine|imaginary|hypothetical(?:ly)?|fictional|let's say|pretend` +
		`|you could|you might|one could|could be|might be|might look|would be|would look|placeholder|illustrat\w+)\b|\be\.g\.|\beg\b|, say\b`)
	older     = regexp.MustCompile("\\b(?:old|older|former|legacy|previous|original|earlier|outdated|stale)(?: [\\w'-]+){0,3} ?\\(?$")
	ofTools   = regexp.MustCompile("\\b(?:the|a|an|any|all|this|that|each|its) (?:auto-?)?(?:generated|resulting|produced|compiled|built|newly created)(?: [\\w-]+){0,2} ?\\(?$")
	notThis   = regexp.MustCompile(`\b(?:instead of|rather than|not|no|without|unlike|lacks|missing|was|were|than|equivalent (?:of|to)|similar to|analogous to)(?: (?:a|an|the|any|using|running|via))? ?$`)
	forbidden = regexp.MustCompile(`\b(?:don't|do not|never|avoid|must not|should not|shouldn't|cannot|can't|no need to)(?: ever)? (?:run|running|use|using|call|calling|create|creating|add|adding|write|writing|introduce|invoke|make|making|look for|expect)\b`)
	thenGone  = regexp.MustCompile("^[ )]*,?(?: (?:which|that|it))? (?:was|were|has been|have been|had been|is gone|are gone|is now|are now|is not|isn't|are not|aren't|no longer|→|->|=>)|^ ?(?:→|->|=>)")
	thenMade  = regexp.MustCompile("^[ ),|:—–-]*(?:(?:is|are|will be|gets?|get|be|file|files|folder|directory|\\(?auto(?:matically)?-?|will then be|then) ?){0,3}\\b(?:generated|created|written|produced|built|emitted|compiled|downloaded|rendered|populated|gitignored|git-ignored|ignored|optional|added|made)\\b")
	whichMade = regexp.MustCompile("^[ ),]*(?:which|that) [^.]{0,40}\\b(?:writes?|generates?|creates?|produces?|makes?|outputs?|emits?|builds?)\\b")
	aside     = regexp.MustCompile("\\((?:auto-?)?generated|\\b(?:build|test|generated) (?:output|artifacts?|artefacts?)\\b|\\bnot (?:checked in|committed|tracked|included|in git)\\b|\\bgit-?ignored\\b|\\buntracked\\b")
	elsewhere = regexp.MustCompile("^ (?:in|from|of|on|at) (?:the |a |our )?\\[[^\\]]*\\]\\(https?:|^ (?:in|from|of) (?:another|other|their|the upstream|upstream)\\b")
	weakly    = regexp.MustCompile("\\b(?:your|such as|like|if you|if there|you can|could|might|may|would|optional(?:ly)?|own|any|whatever|some|other project\\w*|another project|elsewhere|similar)\\b")
	notAFile  = regexp.MustCompile("\\b(?:branch(?:es)?|tags?|prefix(?:es|ed)?|label(?:s|ed|led)?|commits?|routes?|endpoints?|urls?|uris?|topics?|mime|media types?|content types?|headers?|images?|alias(?:es)?|namespaces?|keys?|repo|repos|repository|repositories|scopes?|ids?|units?|zones?|actions?|permissions?|roles?|queues?|channels?|models?|requests?|get|post|put|patch|delete|imports?|org|values?|strings?)\\b[^`.;]{0,30}$")
	thenNoun  = regexp.MustCompile("^ (?:branch(?:es)?|tags?|labels?|commits?|routes?|endpoints?|topics?|headers?|images?|aliases|alias|namespaces?|keys?|repo|repos|repository|repositories|requests?|api|scope)\\b")
)

// verbs before a name of something that they make.
var (
	makes  = words("create creates created creating add adds adding make new scaffold scaffolds define defines named called name rename scaffolding touch introduce introducing")
	writes = words(`write writes wrote written writing generate generates generating output outputs produce produces producing
		emit emits emitting save saves saved saving export exports dump dumps download downloads render renders compile compiles
		bundle bundles goes go ends logs store stores stored creates copy copies copied cp rename symlink duplicate clone put place drop convert
		converts extract extracts build builds built cached caches records installs`)
	places  = words("in to into under inside at as within onto the a an your its own it them is be file files called named folder directory new following or and")
	sources = words("from with by using via of see run runs running use uses execute read reads edit open check call calls on for through against invoke start update modify")
)

// isMuted says whether the text around an item tells that it need not be there: its sentence,
// or the one before its list.
func isMuted(it item) bool {
	for _, intro := range it.intros {
		text := strings.TrimRight(strings.TrimSpace(intro), ":")
		before := blanked(text[lastStop(text):])
		if (sentence{before: before}).muted() {
			return true
		}
	}
	return sentenceOf(it).muted()
}

// muted says whether a sentence tells that a name in it need not be there.
func (s sentence) muted() bool {
	whole := s.before + " ` " + s.after
	switch {
	case gone.MatchString(whole), supposed.MatchString(whole), aside.MatchString(whole):
		return true
	case older.MatchString(s.before), ofTools.MatchString(s.before), notThis.MatchString(s.before), forbidden.MatchString(s.before):
		return true
	case elsewhere.MatchString(s.after), thenGone.MatchString(s.after), thenMade.MatchString(s.after), whichMade.MatchString(s.after):
		return true
	}
	return s.made()
}

var token = regexp.MustCompile("[\\w'-]+|[`,;:()|→=]")

// made says whether the words before a name tell that it is made: "create a file",
// "writes it to". The words are read backwards up to the verb.
func (s sentence) made() bool {
	tokens := token.FindAllString(s.before, -1)
	placed := false
	for i := len(tokens) - 1; i >= max(0, len(tokens)-10); i-- {
		word := tokens[i]
		switch {
		case makes[word] && !placed, writes[word]:
			return true
		case sources[word], strings.ContainsAny(word, ";:()|→="):
			return false
		case word == "," && (i == 0 || tokens[i-1] != "`"):
			return false
		case word == "in", word == "to", word == "into", word == "under", word == "inside", word == "at":
			placed = true
		}
	}
	return false
}

// weak says whether a sentence speaks of something that others have.
func (s sentence) weak() bool {
	near := s.before[max(0, len(s.before)-60):]
	return weakly.MatchString(near) || yours.MatchString(s.after)
}

// yours matches what makes a name one of the reader's own project.
var yours = regexp.MustCompile("^[^`.;]{0,40}\\b(?:your|yours)\\b")

// another says whether the name is one of something else than a file: a branch, a route.
func (s sentence) another() bool {
	return notAFile.MatchString(s.before) || thenNoun.MatchString(s.after)
}

var (
	pastTitle = regexp.MustCompile(`(?i)\b(?:change ?log|release notes?|history|migrat(?:ion|ing|e)|upgrad(?:e|ing) (?:from|to)|breaking changes?|what(?:'|’)?s new|deprecat(?:ed|ions?)|removed|roadmap|future|to-?do|ideas|planned)\b`)
	pastFile  = regexp.MustCompile(`(?i)(?:^|/)(?:change(?:s|log)|history|releases?|release[-_]notes|news|migrat\w+|roadmap|todo)[^/]*$|(?i)(?:^|/)(?:adrs?|decisions?|rfcs?|changelogs?|\.changeset|changesets)/`)
)

// isPast says whether a page, or a section of it, tells what was or will be.
func isPast(doc string, titles []string) bool {
	if pastFile.MatchString(doc) {
		return true
	}
	for _, each := range titles {
		if pastTitle.MatchString(each) {
			return true
		}
	}
	return false
}

var othersProject = regexp.MustCompile(`\b(?:your|own|another|other|new|sample|example|hypothetical|fictional|existing|fresh)(?: [\w-]+){0,2} (?:project|app|application|repo|repository|package|module|workspace|site|service|plugin|makefile|package\.json)\b|\bsuppose\b|\bimagine\b|\byou could\b|\byou might\b|\bno longer\b|\bused to\b|\bpreviously\b|\bformerly\b|\bwould\b|\bfor example\b|\bfor instance\b|\be\.g\.|\bexamples? (?:of|with|with a)\b|\bhypothetical`)

// ofOthers says whether the text before a block tells that it is about another project, or
// about what is no more.
func ofOthers(before passage) bool {
	text := blanked(before.text)
	return othersProject.MatchString(text[lastStop(text):])
}
