package textkit

import "strings"

// Stem returns what the forms of an English word share. The word is in lower case. It handles
// the endings of nouns and verbs and common irregular verbs, and leaves derived words apart:
// "approve" and "approval" have two stems.
func Stem(word string) string {
	if base, ok := irregular[word]; ok {
		word = base
	}
	if len(word) <= 3 {
		return word
	}

	word = withoutPlural(word)
	word = withoutParticiple(word)
	if len(word) > 3 && strings.HasSuffix(word, "e") {
		word = word[:len(word)-1]
	}

	n := len(word)
	if n > 2 && word[n-1] == 'y' && !isVowel(word[n-2]) {
		word = word[:n-1] + "i"
	}
	return word
}

func withoutPlural(word string) string {
	switch {
	case !strings.HasSuffix(word, "s"):
		return word
	case strings.HasSuffix(word, "ies"):
		return word[:len(word)-3] + "y"
	case hasAnySuffix(word, "sses", "shes", "ches", "xes", "zzes"):
		return word[:len(word)-2]
	case hasAnySuffix(word, "ss", "us", "is"):
		return word
	}
	return word[:len(word)-1]
}

func withoutParticiple(word string) string {
	var stem string
	switch {
	case strings.HasSuffix(word, "ied"):
		return word[:len(word)-3] + "y"
	case strings.HasSuffix(word, "eed"):
		return word
	case strings.HasSuffix(word, "ed"):
		stem = word[:len(word)-2]
	case strings.HasSuffix(word, "ing"):
		stem = word[:len(word)-3]
	default:
		return word
	}

	if len(stem) < 3 || !hasVowel(stem) {
		return word
	}
	return undoubled(stem)
}

// undoubled drops the second of two equal consonants: "logg" becomes "log", "call" stays.
func undoubled(stem string) string {
	n := len(stem)
	if n < 4 || stem[n-1] != stem[n-2] || isVowel(stem[n-1]) {
		return stem
	}
	if strings.IndexByte("lsz", stem[n-1]) >= 0 {
		return stem
	}
	return stem[:n-1]
}

func hasAnySuffix(word string, suffixes ...string) bool {
	for _, suffix := range suffixes {
		if strings.HasSuffix(word, suffix) {
			return true
		}
	}
	return false
}

func isVowel(b byte) bool { return strings.IndexByte("aeiou", b) >= 0 }

func hasVowel(s string) bool { return strings.ContainsAny(s, "aeiouy") }

// irregular maps forms to their base.
var irregular = readIrregular(`
be is am are was were been being
have has had having
do does did done
write wrote written
keep kept
send sent
tell told
say said
run ran
begin began begun
give gave given
take took taken
know knew known
see saw seen
make made
go went gone goes
lose lost
throw threw thrown
choose chose chosen
forget forgot forgotten
mean meant
bring brought
think thought
pay paid
build built
break broke broken
show shown
hold held
buy bought
speak spoke spoken
hide hidden
draw drew drawn
get got gotten getting
use used uses using
come came
become became
leave left
understand understood
catch caught
feed fed
sell sold
steal stole stolen
freeze froze frozen
withhold withheld
overwrite overwrote overwritten
control controlled controlling controls
cancel cancelled cancelling canceled canceling
label labelled labelling labeled labeling
signal signalled signalling signaled signaling
compel compelled
agree agreed agreeing agrees
guarantee guaranteed guarantees
free freed frees
oversee oversaw overseen
person people persons
website websites site sites
child children
man men
woman women
`)

func readIrregular(table string) map[string]string {
	forms := map[string]string{}
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		for _, form := range fields {
			forms[form] = fields[0]
		}
	}
	return forms
}
