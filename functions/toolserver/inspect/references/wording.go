package references

import (
	"regexp"
	"strings"
)

// phrases is an expression for any of the phrases of a list, one a line or separated by |.
func phrases(before, list, after string) *regexp.Regexp {
	var all []string
	for line := range strings.Lines(list) {
		if line = strings.Trim(line, "\t\n |"); line != "" {
			all = append(all, line)
		}
	}
	return regexp.MustCompile(before + "(?:" + strings.Join(all, "|") + ")" + after)
}

// What a sentence says anywhere of a name that need not be there.
var (
	gone = phrases(`\b`, `
		formerly|previously|deprecated|obsolete|superseded|retired|defunct|historical(?:ly)?
		used to|went away|no longer|no more
		there is no|there are no|there was|there were
		(?:doesn't|does not|don't|do not|didn't) exist|not exist yet|not yet
		until v?\d|prior to v?\d|before v?\d|until version|before version
		(?:ours|we|this project) (?:doesn't|does not|don't|do not|has no|have no|has none|have none)
		upcoming|proposed|in the future|planned for`, ``)
	supposed = phrases(`(?:\b|, )`, `
		for example|for instance|e\.g\.|eg\b|say$|, say\b
		suppose|supposing|imagine|imaginary|hypothetical(?:ly)?|fictional|let's say|pretend
		you could|you might|one could`, ``)
	untracked = phrases(``, `
		\((?:auto-?)?generated
		\b(?:build|generated) (?:output|artifacts?|artefacts?)\b
		\bnot (?:checked in|committed|tracked|in git)\b
		\bgit-?ignored\b
		\buntracked\b
		~~`, ``)
)

// What stands right before such a name. No word but these may be between.
var (
	removing = phrases(`\b`, `
		remov(?:ed|es|ing)|delet(?:ed|es|ing)|dropp(?:ed|ing)|drops
		renam(?:ed|es|ing)|replac(?:ed|es|ing)|mov(?:ed|es|ing)|became|gone are`,
		"(?:(?: (?:the|old|unused|file|files|folder|module|package|script|scripts|command|target|page|from|to|into|and|support for)|[ ,`:])*)$")
	older = phrases(`\b`, `
		old|older|former|legacy|previous|original|earlier|outdated|stale`,
		`(?: [\w'-]+){0,3} ?\(?$`)
	producedBy = phrases(`\b(?:the|a|an|any|all|this|that|each|its) (?:auto-?)?`, `
		generated|resulting|produced|compiled|built|newly created`,
		`(?: [\w-]+){0,2} ?\(?$`)
	insteadOf = phrases(`\b`, `
		instead of|rather than|not|no|without|unlike|lacks|missing|was|were|than
		equivalent (?:of|to)|similar to|analogous to`,
		`(?: (?:a|an|the|any|using|running|via))? ?$`)
	forbidden = phrases(`\b(?:don't|do not|never|avoid|must not|should not|shouldn't|cannot|can't|no need to)(?: ever)? `, `
		run|running|use|using|call|calling|invoke
		create|creating|add|adding|write|writing|introduce|make|making
		look for|expect`, `\b`)
	listedGone = phrases(`\b`, `
		removed|deleted|dropped|gone|renamed|replaced|moved`, `\b`)
)

// What stands right after such a name, or after a list of names.
var (
	thenGone = phrases("^[ )`,]*(?:and `)?", `
		(?: ?(?:which|that|it))? ?\b(?:was|were|has been|have been|had been|is gone|are gone|is now|are now)\b
		(?: ?(?:which|that|it))? ?\b(?:is not|isn't|are not|aren't|no longer)\b
		\b(?:removed|deleted|moved|renamed|replaced|became|could|might|would)\b
		→|->|=>`, ``)
	thenMade = phrases(`^[ ),|:—–-]*(?:(?:is|are|will be|gets?|get|be|file|files|folder|directory|\(?auto(?:matically)?-?|will then be|then) ?){0,3}\b`, "\n"+
		"generated|created|produced|built|emitted|compiled|downloaded|rendered|populated\n"+
		"gitignored|git-ignored|ignored|optional|added|made\n"+
		"written (?:to|into|by the|by `|on|at|when|after|during)", `\b`)
	whichMakes = phrases(`^[ ),]*(?:which|that) [^.]{0,40}\b`, `
		writes?|generates?|creates?|produces?|makes?|outputs?|emits?|builds?`, `\b`)
	elsewhere = phrases(`^ `, `
		(?:in|from|of|on|at) (?:the |a |our )?\[[^\]]*\]\(https?:
		(?:in|from|of) (?:another|other|their|the upstream|upstream)\b`, ``)
	yours = regexp.MustCompile("^[^`.;]{0,40}\\b(?:your|yours)\\b")
)

// weakly are words by which a name may be one of something that others have.
var weakly = phrases(`\b`, `
	your|own|any|whatever|some|such as|like|similar
	if you|if there|you can|could|might|may|would|optional(?:ly)?
	other project\w*|another project|elsewhere`, `\b`)

// A name may be one of something else than a file.
var (
	namedAs = phrases(`\b`, `
		branch(?:es)?|tags?|commits?|repo|repos|repository|repositories|org
		prefix(?:es|ed)?|label(?:s|ed|led)?|alias(?:es)?|namespaces?|scopes?|ids?|keys?|values?|strings?
		routes?|endpoints?|urls?|uris?|requests?|get|post|put|patch|delete
		topics?|queues?|channels?|headers?|mime|media types?|content types?
		images?|imports?|units?|zones?|actions?|permissions?|roles?|models?`, "\\b[^`.;]{0,30}$")
	thenNoun = phrases(`^ `, `
		branch(?:es)?|tags?|commits?|repo|repos|repository|repositories
		labels?|aliases|alias|namespaces?|keys?|scope
		routes?|endpoints?|requests?|api|topics?|headers?|images?`, `\b`)
)

// Words before a name that tell how it comes about.
var (
	// makes are verbs of what is new. What is made in, or to, a file is not the file.
	makes = words(`create creates created creating add adds adding make new scaffold scaffolds scaffolding
		define defines named called introduce introducing`)
	// writes are verbs of what a program or a reader puts somewhere.
	writes = words(`write writes wrote written writing generate generates generating produce produces producing
		emit emits emitting save saves saved saving download downloads renders compile compiles compiled
		goes go ends stored put place drop extract extracts built cached installs`)
	// moves are verbs of what comes to be somewhere else.
	moves = words("copy copies copied cp rename symlink duplicate clone convert converts")
	// nouns are such verbs that are nouns, too.
	nouns = words("output outputs export exports dump dumps render bundle bundles log logs store stores build builds cache caches record records name")
	// sources are words after which something that is there is named.
	sources = words(`from with by using via of see run runs running use uses execute read reads edit open check call calls
		on for through against invoke start update modify`)
	stops        = words("; : ( ) | → = is are was were be lives live has have contains")
	prepositions = words("in to into under inside at")
	articles     = words("the a an our its all these of for in no this that your each")
	things       = words("script scripts file files folder directory config configuration settings target targets command commands logic code step steps tests is are")
)

// What is about other times, or about other projects.
var (
	pastTitle = phrases(`(?i)^\W*(?:`, `
		change ?logs?|release notes?|(?:version |release |project )?history
		migrat(?:ion|ing|e)(?: guide| notes?)?(?: (?:from|to|for) .*)?
		upgrad(?:e|ing)(?: guide| notes?)?(?: (?:from|to) .*)?
		(?:.*\b)?breaking changes?(?: .*)?|what['’]s new(?: .*)?
		deprecat(?:ed|ions?)(?: .*)?|removed(?: .*)?
		roadmap|future(?: work| plans?)?|to-?dos?|ideas|planned(?: .*)?`, `)\W*$`)
	pastFile = phrases(`(?:^|/)`, `
		(?:CHANGELOG|CHANGES|HISTORY|RELEASES|NEWS)[^/]*$
		(?i:changelog|changes|history|releases?[-_]?notes|news|migrat(?:ion|ing)(?:[-_]guide)?|roadmap|todo)(?:[-_.]v?\d[^/]*)?\.[a-z]+$
		(?i:adrs?|decisions?|rfcs?|changelogs?|\.changeset|changesets)/`, ``)
	othersProject = phrases(`\b`, `
		(?:in|inside|within|from|of|for) (?:your|your own|an?|any|another|the other)(?: [\w-]+){0,2} (?:project|app|application|repo|repository|codebase|site|plugin|makefile|package\.json)\b
		(?:another|hypothetical|fictional|sample|fresh) (?:project|app|application|repo|repository)\b
		examples? (?:of|with)\b`, ``)
)
