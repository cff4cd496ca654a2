package table

import (
	"strings"
)

// Table is a file as records.
type Table struct {
	Encoding  string
	Delimiter string
	Records   []Record
}

// delimiters in the order in which a tie is decided.
var delimiters = []byte{',', ';', '\t', '|'}

// Read decodes a file and parts it into records. isHeader recognises the header of a bank; a delimiter
// under which one is found is preferred.
func Read(raw []byte, isHeader func(cells []string) bool) (*Table, error) {
	text, encoding, err := Decode(raw)
	if err != nil {
		return nil, err
	}

	delimiter, skippedLine := announced(text)
	if delimiter == 0 {
		delimiter = likeliest(text, isHeader)
	}

	records, err := split(text, delimiter)
	if err != nil {
		return nil, err
	}
	if skippedLine && len(records) > 0 {
		records = records[1:]
	}
	return &Table{encoding, string(delimiter), records}, nil
}

// announced reads a first line such as sep=;
func announced(text string) (delimiter byte, found bool) {
	const announcement = "sep="
	if len(text) > len(announcement) && strings.EqualFold(text[:len(announcement)], announcement) {
		return text[len(announcement)], true
	}
	return 0, false
}

// likeliest chooses the delimiter under which most rows have the same number of cells.
func likeliest(text string, isHeader func([]string) bool) byte {
	sample := firstLines(text, 200)

	best, bestScore := delimiters[0], -1
	for _, delimiter := range delimiters {
		if score := scoreOf(sample, delimiter, isHeader); score > bestScore {
			best, bestScore = delimiter, score
		}
	}
	return best
}

func firstLines(text string, count int) string {
	at := 0
	for range count {
		length := strings.IndexAny(text[at:], "\r\n")
		if length < 0 {
			return text
		}
		at += length + 1
	}
	return text[:at]
}

func scoreOf(sample string, delimiter byte, isHeader func([]string) bool) int {
	records, _ := split(sample, delimiter) // the last one may be cut
	widths := map[int]int{}
	headerScore := 0

	for _, record := range records {
		widths[len(record.Cells)]++
		if headerScore == 0 && isHeader(record.Cells) {
			headerScore = 1_000_000
		}
	}

	best := 0
	for width, count := range widths {
		best = max(best, count*(width-1))
	}
	return headerScore + best
}
