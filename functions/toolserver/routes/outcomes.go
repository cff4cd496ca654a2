package routes

import (
	"log/slog"
	"net/http"

	"governance.internal/functions/toolserver/guard/outcome"
	"governance.internal/functions/toolserver/routes/answer"
)

// mostOutcomes are listed, the newest.
const mostOutcomes = 50

// Outcomes are the calls of agents in the governed project.
type Outcomes interface {
	// Pairs gives the newest calls, at most so many, oldest first.
	Pairs(limit int) ([]outcome.Pair, error)
}

// outcomes is GET /outcomes: what agents wanted to do and what then happened. The names of
// files are in it, so the route needs the token.
type outcomes struct {
	journal Outcomes
}

func (o outcomes) get(w http.ResponseWriter, r *http.Request) {
	pairs, err := o.journal.Pairs(mostOutcomes)
	if err != nil {
		slog.ErrorContext(r.Context(), "outcomes not read", "error", err.Error())
		answer.Error(
			w,
			http.StatusServiceUnavailable,
			"unavailable",
			"The journal of the hooks cannot be read right now. Try again.",
		)

		return
	}

	answer.JSON(w, http.StatusOK, map[string]any{"outcomes": append([]outcome.Pair{}, pairs...)})
}
