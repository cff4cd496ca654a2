package httpapi

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
)

// ReadJSON reads a JSON request body of at most limit bytes.
//
// Errors: 415 for a content type other than JSON (an absent one counts as
// JSON), 413 for a longer body, 400 for a body that breaks off.
func ReadJSON(r *http.Request, limit int) ([]byte, error) {
	if err := wantJSON(r.Header.Get("Content-Type")); err != nil {
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

func wantJSON(contentType string) error {
	if contentType == "" {
		return nil
	}
	mediaType, _, err := mime.ParseMediaType(contentType)
	if err != nil || mediaType != "application/json" {
		return &Error{
			Status: http.StatusUnsupportedMediaType,
			Code:   "unsupported_media_type",
			Detail: "Send the body as JSON with the header Content-Type: application/json.",
		}
	}
	return nil
}
