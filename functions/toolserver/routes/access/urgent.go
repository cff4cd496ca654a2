package access

import (
	"net/http"
	"slices"
)

// urgentPaths are served when there is no room for others: the one that halts, and the
// one that a load balancer looks at, which would else end the task. Both bound their
// own cost, so no rate holds them up.
var urgentPaths = []string{"/kill", "/health"}

// Urgent says whether a request is served before all others.
func Urgent(r *http.Request) bool {
	return slices.Contains(urgentPaths, r.URL.Path)
}
