package bookkeeping

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"

	"governance.internal/functions/bookkeeping/bank"
	"governance.internal/shared/httpapi"
)

// request is the JSON body: one file as csv, or several as files.
type request struct {
	CSV     string        `json:"csv"`
	Files   []requestFile `json:"files"`
	Options Options       `json:"options"`
}

// requestFile is one file. Its content may be OFX or CAMT.053, too.
type requestFile struct {
	Name string `json:"name"`
	CSV  string `json:"csv"`
}

// onlyFile is the name of a file that was sent without one.
const onlyFile = "transactions.csv"

// readRequest reads the body by its media type; without one it is JSON.
func readRequest(contentType string, body []byte) ([]bank.Source, Options, error) {
	mediaType, parameters, err := mime.ParseMediaType(contentType)
	if contentType == "" {
		mediaType, err = "application/json", nil
	}
	if err != nil {
		return nil, Options{}, badBody("invalid_body", "its Content-Type cannot be read")
	}

	switch mediaType {
	case "application/json":
		return readJSON(body)
	case "multipart/form-data":
		return readForm(body, parameters["boundary"])
	}
	return []bank.Source{{Name: onlyFile, Data: body}}, Options{}, nil
}

func badBody(code, reason string) error {
	return &httpapi.Error{
		Status: http.StatusBadRequest,
		Code:   code,
		Detail: "The body cannot be read: " + reason + `. Send a CSV file as text/csv, files as multipart/form-data, or {"files":[{"name":"bank.csv","csv":"..."}]}.`,
	}
}

// readJSON reads a JSON body.
func readJSON(body []byte) ([]bank.Source, Options, error) {
	var in request
	if err := httpapi.DecodeStrict(body, &in); err != nil {
		return nil, Options{}, badBody("invalid_json", err.Error())
	}
	if in.CSV != "" && len(in.Files) > 0 {
		return nil, Options{}, badBody("invalid_json", "it holds both csv and files; send one of them")
	}

	var sources []bank.Source
	if in.CSV != "" {
		sources = append(sources, bank.Source{
			Name: onlyFile,
			Data: []byte(in.CSV),
		})
	}
	for i, file := range in.Files {
		if file.Name == "" {
			file.Name = fmt.Sprintf("file-%d.csv", i+1)
		}
		sources = append(sources, bank.Source{
			Name: file.Name,
			Data: []byte(file.CSV),
		})
	}
	return sources, in.Options, nil
}

// mostParts is how many parts a form may have.
const mostParts = 100

// readForm reads files as browsers upload them. A part named options is JSON.
func readForm(body []byte, boundary string) ([]bank.Source, Options, error) {
	if boundary == "" {
		return nil, Options{}, badBody("invalid_form", "its Content-Type has no boundary")
	}

	var sources []bank.Source
	var options Options
	reader := multipart.NewReader(bytes.NewReader(body), boundary)
	for range mostParts {
		part, err := reader.NextPart()
		if errors.Is(err, io.EOF) {
			return sources, options, nil
		}
		if err != nil {
			return nil, Options{}, badBody("invalid_form", "a part of the form breaks off")
		}

		data, err := io.ReadAll(part)
		if err != nil {
			return nil, Options{}, badBody("invalid_form", "a part of the form breaks off")
		}
		if part.FormName() == "options" && part.FileName() == "" {
			if err := httpapi.DecodeStrict(data, &options); err != nil {
				return nil, Options{}, badBody("invalid_form", "the options are no JSON: "+err.Error())
			}
			continue
		}
		sources = append(sources, bank.Source{
			Name: partName(part, len(sources)),
			Data: data,
		})
	}
	return nil, Options{}, badBody("invalid_form", fmt.Sprintf("it has more than %d parts", mostParts))
}

func partName(part *multipart.Part, index int) string {
	if name := part.FileName(); name != "" {
		return name
	}
	return fmt.Sprintf("file-%d.csv", index+1)
}
