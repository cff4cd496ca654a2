package text

import "strings"

// Readability says how hard a text is to read. The two scores are those of Flesch and Kincaid,
// in tenths, so that they are whole numbers up to the last step.
type Readability struct {
	Sentences        int     `json:"sentences"`
	Words            int     `json:"words"`
	WordsPerSentence float64 `json:"words_per_sentence"`
	Ease             float64 `json:"flesch_reading_ease"`
	Grade            float64 `json:"flesch_kincaid_grade"`
}

// Readability measures the text.
func (t *Text) Readability() Readability {
	sentences := len(t.Sentences())
	words, syllables := 0, 0

	for word := range strings.FieldsSeq(t.Lower) {
		word = strings.Trim(word, `.,;:!?"'()[]`)
		if word == "" || word[0] < 'a' || word[0] > 'z' {
			continue
		}
		words++
		syllables += syllablesOf(word)
	}

	if words == 0 || sentences == 0 {
		return Readability{}
	}

	length := 1000 * words / sentences
	weight := 1000 * syllables / words
	ease := 206_835_000 - 1015*length - 84_600*weight
	grade := 390*length + 11_800*weight - 15_590_000

	return Readability{
		Sentences:        sentences,
		Words:            words,
		WordsPerSentence: float64(length/100) / 10,
		Ease:             float64(ease/100_000) / 10,
		Grade:            float64(grade/100_000) / 10,
	}
}

// syllablesOf counts groups of vowels; a silent e at the end is none.
func syllablesOf(word string) int {
	count, before := 0, false
	for _, r := range word {
		vowel := strings.ContainsRune("aeiouy", r)
		if vowel && !before {
			count++
		}
		before = vowel
	}

	if strings.HasSuffix(word, "e") && !strings.HasSuffix(word, "le") {
		count--
	}
	return max(count, 1)
}
