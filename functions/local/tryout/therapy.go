package tryout

import (
	"errors"
	"net/http"

	agenttherapy "governance.internal/functions/agent-therapy"
)

var therapy = engine{
	name:   "agent-therapy",
	title:  "Agent therapy",
	about:  "Finds contradictions and gaps in the instructions of an agent, or bad patterns in a transcript, with a patch that repairs them.",
	price:  "0.99 USD",
	most:   1 << 20,
	answer: diagnose,
}

func diagnose(r *http.Request) (any, error) {
	text, err := textOf(r)
	if err != nil {
		return nil, err
	}

	answer, err := agenttherapy.Diagnose(agenttherapy.Input{Text: text})
	var input *agenttherapy.InputError
	if errors.As(err, &input) {
		return nil, &refusal{"The " + input.Error() + "."}
	}
	return answer, err
}
