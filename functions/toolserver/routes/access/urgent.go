package access

import (
	"net/http"
	"slices"
)

// urgentPaths are served above the connection limit: the kill switch, and the health check
// of the load balancer, which would otherwise end the task. Both limit their own cost, so
// they have no rate limit.
var urgentPaths = []string{"/kill", "/health"}

// Urgent reports whether a request is served before all others.
func Urgent(r *http.Request) bool {
	return slices.Contains(urgentPaths, r.URL.Path)
}
