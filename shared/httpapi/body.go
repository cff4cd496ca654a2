package httpapi

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
)

// ReadJSON reads a JSON request body of at most limit bytes.
//
// Errors: 415 for a content type other than JSON (an absent one counts as
// JSON), 413 for a longer body, 400 for a body that breaks off.
func ReadJSON(r *http.Request, limit int) ([]byte, error) {
	return ReadBody(r, limit)
}

// ReadBody is [ReadJSON] for a body that may have one of further media types.
func ReadBody(r *http.Request, limit int, further ...string) ([]byte, error) {
	if err := wantType(r.Header.Get("Content-Type"), further); err != nil {
		return nil, err
	}
	if r.Header.Get("Content-Encoding") != "" {
		return nil, &Error{
			Status: http.StatusUnsupportedMediaType,
			Code:   "unsupported_content_encoding",
			Detail: "Send the body without a Content-Encoding.",
		}
	}

	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, int64(limit)))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, &Error{
			Status: http.StatusRequestEntityTooLarge,
			Code:   "body_too_large",
			Detail: fmt.Sprintf("The body is longer than %d bytes. Send a smaller document.", limit),
		}
	case err != nil:
		return nil, &Error{
			Status: http.StatusBadRequest,
			Code:   "body_incomplete",
			Detail: "The body ended before its announced length. Send it again.",
		}
	}

	return body, nil
}

const jsonType = "application/json"

// wantType refuses a body that is neither JSON nor of one of the further media types.
func wantType(contentType string, further []string) error {
	if contentType == "" {
		return nil
	}

	mediaType, _, err := mime.ParseMediaType(contentType)
	if err == nil && (mediaType == jsonType || slices.Contains(further, mediaType)) {
		return nil
	}

	problem := &Error{
		Status: http.StatusUnsupportedMediaType,
		Code:   "unsupported_media_type",
		Detail: "Send the body as JSON with the header Content-Type: application/json.",
	}
	if len(further) > 0 {
		problem.Detail = "Send the header Content-Type: " + jsonType + ", " + strings.Join(further, ", ") + "."
	}
	return problem
}
