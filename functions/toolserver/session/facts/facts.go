// Package facts keeps what a session notes for good: a decision, a deadline, the result of
// a search. Each fact is one line of JSON in the file of its day, and a paragraph in a file
// for people, its sink.
//
// Three places change with a fact: the sink, the file of the day and the audit chain. A
// journal says beforehand what is about to be written, so that a fact whose writing was cut
// short is completed before the next one begins, in all three places and once in each.
//
// The content of a credential is not kept anywhere, not even in the journal: a fact of this
// category only tells what kind it is and how it is recognised.
package facts

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"governance.internal/functions/toolserver/guard/mask"
)

// Categories of facts.
const (
	Research     = "research"
	Decision     = "decision"
	Confirmation = "confirmation"
	Credential   = "credential"
	Contact      = "contact"
	Deadline     = "deadline"
	Partner      = "partner"
	APIResult    = "api_result"
)

// Categories are all of them.
var Categories = []string{
	Research, Decision, Confirmation, Credential, Contact, Deadline, Partner, APIResult,
}

// Fact is one fact as it stands in the file of its day.
type Fact struct {
	ID        string    `json:"id"`
	Timestamp time.Time `json:"timestamp"`
	SessionID string    `json:"session_id"`
	Category  string    `json:"category"`
	Title     string    `json:"title"`
	Content   string    `json:"content"`
	Source    string    `json:"source"`
	Tags      []string  `json:"tags"`
	Processed bool      `json:"processed"` // it is in its sink, too

	File string `json:"-"` // where it was read
	Line int    `json:"-"`
}

// Note is what a session wants to keep.
type Note struct {
	SessionID string
	Category  string
	Title     string
	Content   string
	Source    string
	Tags      []string
}

// fact is a note without what must not be kept: secrets, the place of the workspace on the
// machine, and characters that do not show.
func (n Note) fact(hide func(string) string) Fact {
	if n.Category == Credential {
		n = n.withheld()
	}

	clean := func(text string) string {
		return oneLine(mask.Text(hide(text)))
	}
	tags := []string{}
	for _, tag := range n.Tags {
		if tag = clean(tag); tag != "" {
			tags = append(tags, tag)
		}
	}

	return Fact{
		SessionID: n.SessionID,
		Category:  n.Category,
		Title:     clean(n.Title),
		Content:   mask.Text(hide(visible(n.Content))),
		Source:    clean(n.Source),
		Tags:      tags,
	}
}

// isSame reports whether two facts say the same. Credentials that are too short for a digest
// look alike and may differ.
func (f Fact) isSame(other Fact) bool {
	known := f.Category != Credential || strings.Contains(f.Content, digestMark)
	return known &&
		f.Category == other.Category &&
		f.Title == other.Title &&
		f.Content == other.Content
}

// isWhole reports whether a line that was read is a fact.
func (f Fact) isWhole() bool {
	return f.ID != "" &&
		f.Title != "" &&
		!f.Timestamp.IsZero() &&
		slices.Contains(Categories, f.Category)
}

// oneLine makes one line of a text.
func oneLine(text string) string {
	return strings.Join(strings.Fields(visible(text)), " ")
}

// visible takes out of a text what does not show, besides blanks and ends of lines, which
// become those of Unix.
func visible(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.ReplaceAll(text, "\r\n", "\n")

	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r':
			return '\n'
		case unicode.Is(unicode.C, r):
			return -1
		}
		return r
	}, text)
}
