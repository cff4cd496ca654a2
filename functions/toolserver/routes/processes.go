package routes

import (
	"context"
	"net/http"

	"governance.internal/functions/toolserver/routes/answer"
	"governance.internal/functions/toolserver/work/managed"
)

// Processes are the managed processes.
type Processes interface {
	States(context.Context) ([]managed.Status, error)
}

// managedProcesses is GET /processes: the state of the managed processes.
type managedProcesses struct {
	Processes
}

func (p managedProcesses) get(w http.ResponseWriter, r *http.Request) {
	list, err := p.States(r.Context())
	if err != nil {
		answer.Error(
			w,
			http.StatusServiceUnavailable,
			"unavailable",
			"The workspace file cannot be read; get_health_status says more.",
		)

		return
	}

	answer.JSON(w, http.StatusOK, map[string]any{"processes": append([]managed.Status{}, list...)})
}
