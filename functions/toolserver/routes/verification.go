package routes

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/routes/answer"
)

// verification is GET /audit/verify: the tool, with its arguments as query.
type verification struct {
	tools Tools
}

var verificationStatus = map[string]int{
	"invalid_argument": http.StatusBadRequest,
	"unavailable":      http.StatusServiceUnavailable,
	"timeout":          http.StatusServiceUnavailable,
}

func (v verification) get(w http.ResponseWriter, r *http.Request) {
	arguments, err := argumentsOf(r.URL.Query())
	if err != nil {
		answer.Error(w, http.StatusBadRequest, "invalid_argument", "The query cannot be read.")
		return
	}

	result := v.tools.Run(r.Context(), "verify_audit_chain", &tool.Call{
		Arguments: arguments,
		Header:    r.Header,
		Transport: "http",
	})
	answer.Tool(w, result, verificationStatus)
}

// argumentsOf makes arguments of a query: whole numbers as such, the rest as text.
func argumentsOf(query url.Values) (json.RawMessage, error) {
	object := map[string]any{}
	for name, values := range query {
		text := values[0]
		object[name] = text

		if n, err := strconv.ParseInt(text, 10, 64); err == nil && len(text) < 19 {
			object[name] = n
		}
	}

	return json.Marshal(object)
}
