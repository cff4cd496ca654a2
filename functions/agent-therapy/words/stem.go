package words

import (
	"slices"
	"strings"
)

// irregular holds base forms that no rule finds, and nouns of verbs.
var irregular = map[string]string{
	"written": "write", "wrote": "write", "done": "do", "did": "do", "does": "do",
	"made": "make", "given": "give", "gave": "give", "taken": "take", "took": "take",
	"kept": "keep", "sent": "send", "shown": "show", "left": "leave", "told": "tell",
	"said": "say", "spoken": "speak", "spoke": "speak", "held": "hold", "built": "build",
	"found": "find", "hidden": "hide", "begun": "begin", "began": "begin", "ran": "run",
	"chosen": "choose", "chose": "choose", "thrown": "throw", "threw": "throw",
	"forgotten": "forget", "bought": "buy", "paid": "pay", "read": "read", "set": "set",
	"indices": "index", "queries": "query", "children": "child", "people": "person",
	"men": "man", "women": "woman", "has": "have", "had": "have", "is": "be", "are": "be",
	"was": "be", "were": "be", "been": "be", "being": "be", "am": "be",
	"deletion": "delete", "indentation": "indent", "deployment": "deploy",
	"modification": "modify", "explanation": "explain", "confirmation": "confirm",
	"installation": "install", "validation": "validate", "documentation": "document",
	"recommendation": "recommend", "suggestion": "suggest", "citation": "cite",
	"reply": "reply", "replies": "reply", "replied": "reply", "always": "always",
	"this": "this", "its": "its", "was not": "be", "analysis": "analysis",
	"less": "less", "unless": "unless", "address": "address", "addresses": "address",
	"access": "access", "process": "process", "class": "class", "css": "css",
	"status": "status", "bypass": "bypass", "express": "express", "basis": "basis",
	"thing": "thing", "docstring": "docstring", "doing": "do", "implementation": "implement", "string": "string", "nothing": "nothing", "anything": "anything",
	"everything": "everything", "something": "something", "during": "during",
	"need": "need", "feed": "feed", "speed": "speed", "exceed": "exceed", "seed": "seed",
	"proceed": "proceed", "embed": "embed", "red": "red", "bed": "bed", "king": "king",
	"using": "use", "used": "use", "uses": "use", "spelling": "spelling", "yes": "yes",
	"rules": "rule", "apis": "api", "political": "politics", "politics": "politics", "types": "type", "us": "us", "os": "os", "js": "js", "ios": "ios",
	"https": "https", "dns": "dns", "tls": "tls", "aws": "aws", "cors": "cors",
	"daily": "daily", "weekly": "weekly", "monthly": "monthly", "yearly": "yearly", "hourly": "hourly",
	"nightly": "nightly", "publicly": "publicly", "privately": "privately",
	"gone": "go", "went": "go", "goes": "go", "notifies": "notify", "lies": "lie",
}

// Stem returns the base form of an English word in lower case, roughly: it need not be a word, but
// forms of one word share it.
func Stem(word string) string {
	if base, ok := irregular[strings.TrimSuffix(word, "'s")]; ok {
		if !strings.HasSuffix(base, "e") {
			return base
		}
		return dropE(base)
	}

	word = strings.TrimSuffix(word, "'s")
	word = strings.TrimSuffix(word, "'")
	if len(word) < 4 || !isASCII(word) {
		return dropE(word)
	}
	return withoutEnding(word)
}

// withoutEnding takes the ending of an inflected word of at least four letters off.
func withoutEnding(word string) string {
	if stem, ok := verbStem(word); ok {
		return stem
	}

	switch {
	case strings.HasSuffix(word, "ly") && len(word) > 5:
		return dropE(word[:len(word)-2])
	case endsWith(word, "ss", "us", "is"):
		return word
	case strings.HasSuffix(word, "s"):
		return Stem(word[:len(word)-1])
	case strings.HasSuffix(word, "ation") && len(word) > 8:
		return word[:len(word)-3]
	}
	return dropE(word)
}

// verbStem takes the ending of a verb off: "tries", "passes", "running", "planned".
func verbStem(word string) (stem string, ok bool) {
	switch {
	case endsWith(word, "ies", "ied") && len(word) > 4:
		return word[:len(word)-3] + "y", true
	case endsWith(word, "sses", "shes", "ches", "xes"):
		return word[:len(word)-2], true
	}

	for _, ending := range []string{"ing", "ed"} {
		rest, found := strings.CutSuffix(word, ending)
		if found && hasVowel(rest) {
			return undouble(rest), true
		}
	}
	return "", false
}

func endsWith(word string, endings ...string) bool {
	return slices.ContainsFunc(endings, func(ending string) bool { return strings.HasSuffix(word, ending) })
}

// undouble returns a stem without the doubled last consonant and without a last e.
func undouble(stem string) string {
	n := len(stem)
	if n > 3 && stem[n-1] == stem[n-2] && !strings.ContainsRune("lszaeiou", rune(stem[n-1])) {
		return stem[:n-1]
	}
	if strings.HasSuffix(stem, "ll") && n > 5 {
		return stem[:n-1]
	}
	return dropE(stem)
}

// dropE removes a last e, so that "write" and "writing" share a stem.
func dropE(word string) string {
	if len(word) > 3 && strings.HasSuffix(word, "e") {
		return word[:len(word)-1]
	}
	return word
}

func hasVowel(s string) bool { return len(s) > 1 && strings.ContainsAny(s, "aeiouy") }

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
