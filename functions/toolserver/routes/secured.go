package routes

import (
	"net/http"

	"governance.internal/functions/toolserver/mcp/rpc"
	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/routes/answer"
)

// readSecured reads the body of a request that needs the kill secret. The secret is
// checked before the body is read. If ok is false, the refusal has been answered.
func readSecured(w http.ResponseWriter, r *http.Request, secret Secret) (body []byte, ok bool) {
	if refusal := secret.Check(r.Context(), r.Header, "http"); refusal != nil {
		answer.Tool(w, tool.Failure(refusal), killStatus)
		return nil, false
	}

	body, problem := rpc.ReadBody(r)
	if problem != nil {
		answer.Error(w, problem.Status, "invalid_body", problem.Message)
		return nil, false
	}
	return body, true
}
