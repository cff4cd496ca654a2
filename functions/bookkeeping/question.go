package bookkeeping

import (
	"fmt"

	"governance.internal/functions/bookkeeping/bank"
	"governance.internal/functions/bookkeeping/chart"
	"governance.internal/functions/bookkeeping/currency"
	"governance.internal/functions/bookkeeping/ledger"
)

// Question is one question to the customer, with the rows that its answer decides.
type Question struct {
	Text string         `json:"text"`
	Rows []ledger.Place `json:"rows"`
}

// questionsOf asks once for each seller, and about what was assumed.
func questionsOf(files []*bank.File, entries []*ledger.Entry) []Question {
	questions := []Question{}
	for _, file := range files {
		for _, assumed := range file.Assumed {
			questions = append(questions, Question{
				Text: file.Name + ": " + assumed + ". Is that right?",
				Rows: []ledger.Place{},
			})
		}
	}

	questions = append(questions, questionsOfRows(entries)...)
	return append(questions, missingCards(entries)...)
}

// questionsOfRows groups rows by their seller and direction.
func questionsOfRows(entries []*ledger.Entry) []Question {
	type group struct {
		first  *ledger.Entry
		rows   []ledger.Place
		amount int64
	}
	groups := map[string]*group{}
	var order []string

	for _, e := range entries {
		if e.Question == "" {
			continue
		}
		key := fmt.Sprintf("%s\x1f%s\x1f%s\x1f%t", e.Merchant, e.Question, e.Currency, e.Minor > 0)
		g, ok := groups[key]
		if !ok {
			g = &group{first: e}
			groups[key] = g
			order = append(order, key)
		}
		g.rows = append(g.rows, e.Place())
		g.amount += e.Minor
	}

	questions := []Question{}
	for _, key := range order {
		g := groups[key]
		questions = append(questions, Question{
			Text: fmt.Sprintf("%s (%s, %s %s): %s", g.first.Description, count(len(g.rows)),
				currency.Units(g.amount, g.first.Currency), g.first.Currency, g.first.Question),
			Rows: g.rows,
		})
	}
	return questions
}

func count(rows int) string {
	if rows == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", rows)
}

// missingCards asks for the exports of cards that were paid and are not among the files.
func missingCards(entries []*ledger.Entry) []Question {
	var rows []ledger.Place
	for _, e := range entries {
		if e.Category == chart.CardPayment && e.Minor < 0 && len(e.Links) == 0 {
			rows = append(rows, e.Place())
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return []Question{{
		Text: "Card bills were paid from this account, and what was bought with the card is not in these files. Can you add the card's own export?",
		Rows: rows,
	}}
}
