// Package bank reads the exports of banks, cards and payment services. Whatever a file does not tell
// for certain is a Refusal with one question; nothing is guessed.
package bank

import (
	"fmt"
	"strings"

	"governance.internal/functions/bookkeeping/day"
)

// Source is a file as it was sent.
type Source struct {
	Name string
	Data []byte
}

// Settings are the answers that the customer gives beforehand.
type Settings struct {
	Currency string // ISO 4217; empty means that the file tells
	Locale   string // BCP 47, for example en-GB
	Sign     string // see the constants
}

// Values of Settings.Sign.
const (
	SignAsWritten       = "as_written"       // money out is negative
	SignChargesPositive = "charges_positive" // money out is positive, as on some cards
)

// Row is one movement of money, from the side of the holder of the account.
type Row struct {
	File        string
	Line        int    // the physical line where the record starts
	Raw         string // the record as it stands in the file
	Day         day.Day
	Minor       int64 // in minor units; money in is positive
	Currency    string
	Description string
	Type        string // the bank's word for the kind of movement
	Group       string // the bank's own category
	MCC         string
	ID          string
	Account     string // as the row names it
	Fee         bool   // the part of a record that is a fee
	Balance     int64  // after this row, in minor units
	HasBalance  bool
}

// Skipped is a record that is not booked.
type Skipped struct {
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

// File is what a file holds.
type File struct {
	Name      string
	Format    string // a known format, or what was recognised
	Encoding  string
	Delimiter string
	HeaderRow int    // line of the header, 0 without one
	Dates     string // order of the dates and why
	Decimal   string
	Card      bool
	Rising    bool   // the rows run from old to new
	Account   string // as the file names it
	SameAs    string // the earlier file of the same account
	Rows      []Row
	Skipped   []Skipped
	Opening   *Balance
	Closing   *Balance
	Assumed   []string // what was assumed, in words
}

// Balance is a balance that the file states apart from its rows.
type Balance struct {
	Minor    int64
	Currency string
}

// Refusal says why a file is not read, and asks one question.
type Refusal struct {
	File     string
	Line     int // 0 where it concerns the whole file
	Problem  string
	Question string
}

func (r *Refusal) Error() string {
	text := r.File + ": "
	if r.Line > 0 {
		text += fmt.Sprintf("line %d: ", r.Line)
	}
	text += r.Problem
	if r.Question != "" {
		text += ". " + r.Question
	}
	return text
}

// MostRows is how many rows all files together may have.
const MostRows = 50_000

// Read reads a file of any format.
func Read(source Source, settings Settings) (*File, error) {
	start := strings.TrimSpace(string(source.Data[:min(len(source.Data), 2000)]))

	var file *File
	var err error
	switch {
	case isOFX(start):
		file, err = readOFX(source)
	case isCAMT(start):
		file, err = readCAMT(source)
	default:
		file, err = readCSV(source, settings)
	}
	if err != nil {
		return nil, err
	}

	if len(file.Rows) == 0 {
		return nil, &Refusal{File: source.Name, Problem: "no transactions were found; check that the export covers the period you need"}
	}
	return file, nil
}

// line reports a problem of one record.
func (f *File) refuse(line int, question, problem string, args ...any) error {
	return &Refusal{
		File:     f.Name,
		Line:     line,
		Problem:  fmt.Sprintf(problem, args...),
		Question: question,
	}
}

func (f *File) skip(line int, reason string) {
	f.Skipped = append(f.Skipped, Skipped{line, reason})
}
