// Package legalprep prepares a conversation with a lawyer: it explains a legal text, reviews it,
// lists questions, and drafts from templates. It assists and does not advise.
//
// Every answer is a function of the text alone, and every quote stands in it verbatim.
package legalprep

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"governance.internal/functions/legal-prep/clauses"
	"governance.internal/functions/legal-prep/draft"
	"governance.internal/functions/legal-prep/extract"
	"governance.internal/functions/legal-prep/glossary"
	"governance.internal/functions/legal-prep/risks"
	"governance.internal/functions/legal-prep/text"
)

// The modes.
const (
	Explain   = "explain"
	DocReview = "doc_review"
	Draft     = "draft"
	Questions = "questions"
)

// Modes are all modes.
var Modes = []string{Explain, DocReview, Draft, Questions}

// MaxPoints is how long a text may be, in Unicode code points.
const MaxPoints = 20_000

// Disclaimer ends every answer.
const Disclaimer = "This is assistance, not legal advice. It may miss or misread things, it creates no relationship of client and lawyer, and it does not replace a lawyer who knows your case and your place."

// Answer is the whole answer; the disclaimer is its last member.
type Answer struct {
	Mode          string                `json:"mode"`
	DocumentType  DocumentType          `json:"document_type"`
	Summary       []string              `json:"summary"`
	Sections      []Section             `json:"sections"`
	Findings      []risks.Finding       `json:"findings"`
	Clauses       []clauses.Clause      `json:"clauses"`
	Missing       []Missing             `json:"missing"`
	KeyTerms      extract.Terms         `json:"key_terms"`
	Deadlines     []extract.Period      `json:"deadlines"`
	NoticePeriods []extract.Period      `json:"notice_periods"`
	DefinedTerms  []extract.DefinedTerm `json:"defined_terms"`
	Glossary      []glossary.Entry      `json:"glossary"`
	Readability   text.Readability      `json:"readability"`
	Questions     []Question            `json:"questions"`
	Draft         *draft.Document       `json:"draft,omitempty"`
	Engine        Engine                `json:"engine"`
	InputSHA256   string                `json:"input_sha256"`

	// CertificationID names the certified agent that prepared the answer; the caller of Prepare
	// sets it.
	CertificationID string `json:"certification_id,omitempty"`

	Disclaimer string `json:"disclaimer"`
}

// Version is the version of the rules and of the model.
const Version = "1.0.0"

// Engine says what made an answer, so that it can be made again.
type Engine struct {
	Name        string `json:"name"`
	Version     string `json:"version"`
	ModelSHA256 string `json:"model_sha256"`
}

// InputError says which field of a request is wrong.
type InputError struct {
	Field, Detail string
}

func (e *InputError) Error() string { return e.Field + ": " + e.Detail }

// Prepare answers a request.
func Prepare(mode, source string) (*Answer, error) {
	if err := check(mode, source); err != nil {
		return nil, err
	}

	t := text.New(source)
	a := &Answer{
		Mode:         mode,
		DocumentType: typeOf(t),
		Sections:     []Section{},
		Findings:     risks.Find(t),
		Clauses:      clauses.Judge(t),
		Missing:      []Missing{},
		KeyTerms:     extract.All(t),
		Deadlines:    extract.Deadlines(t),
		DefinedTerms: extract.DefinedTerms(t),
		Glossary:     glossary.In(t),
		Readability:  t.Readability(),
		Engine:       Engine{"legal-prep", Version, clauses.ModelSHA256()},
		InputSHA256:  digest(source),
		Disclaimer:   Disclaimer,
	}

	a.NoticePeriods = a.KeyTerms.NoticePeriods
	a.addOwnClauses()
	a.Questions = questionsOf(a.Findings)

	switch mode {
	case Draft:
		a.Draft = draft.From(t, a.KeyTerms, Disclaimer)
	case Explain:
		a.Sections = sectionsOf(t)
		a.Missing = missingIn(t, a)
	default:
		a.Missing = missingIn(t, a)
	}

	a.Summary = summaryOf(a)

	return a, nil
}

func check(mode, source string) error {
	known := false
	for _, m := range Modes {
		known = known || m == mode
	}

	if !known {
		return &InputError{"mode", fmt.Sprintf("is one of %s, not %q", strings.Join(Modes, ", "), mode)}
	}

	if !utf8.ValidString(source) {
		return &InputError{"text", "is not valid UTF-8; save the file as UTF-8"}
	}

	if strings.TrimSpace(source) == "" {
		return &InputError{"text", "is empty; send the text of a document"}
	}

	if n := utf8.RuneCountInString(source); n > MaxPoints {
		return &InputError{"text", fmt.Sprintf("has %d characters, at most %d; send it in parts", n, MaxPoints)}
	}
	return nil
}

func digest(source string) string {
	sum := sha256.Sum256([]byte(source))
	return hex.EncodeToString(sum[:])
}
