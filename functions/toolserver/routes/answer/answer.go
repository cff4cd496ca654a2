// Package answer writes the answers of the HTTP routes: JSON objects that no cache
// keeps, and errors in one form.
package answer

import (
	"encoding/json"
	"net/http"

	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/shared/httpapi"
)

// JSON answers with an object.
func JSON(w http.ResponseWriter, status int, object any) {
	response, err := httpapi.JSONStatus(status, object)
	if err != nil {
		response = httpapi.Response{
			Status: http.StatusInternalServerError,
			Header: http.Header{},
		}
	}

	response.Header.Set("Cache-Control", "no-store")
	response.Write(w)
}

// Error answers with an error: a code for programs and a message for people.
func Error(w http.ResponseWriter, status int, code, message string) {
	problem := map[string]string{"code": code, "message": message}
	JSON(w, status, map[string]any{"error": problem})
}

// Tool answers with the result of a tool. Statuses are those of its error codes; an
// error without one is a 500.
func Tool(w http.ResponseWriter, result tool.Result, statuses map[string]int) {
	status := http.StatusOK
	body := result.Structured

	if result.Err != nil {
		status = statusOf(result.Err, statuses)
		body, _ = json.Marshal(map[string]*tool.Error{"error": result.Err}) // of texts
	}

	switch status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="kill"`)
	case http.StatusTooManyRequests:
		w.Header().Set("Retry-After", "10")
	}

	w.Header().Set("Cache-Control", "no-store")
	httpapi.Response{
		Status: status,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   append(body, '\n'),
	}.Write(w)
}

func statusOf(problem *tool.Error, statuses map[string]int) int {
	if status, known := statuses[problem.Code]; known {
		return status
	}
	return http.StatusInternalServerError
}
