package tryout

import (
	"errors"
	"html/template"
	"io"
	"mime/multipart"
	"net/http"
	"strings"

	"governance.internal/functions/bookkeeping"
	"governance.internal/functions/bookkeeping/bank"
)

var books = engine{
	name:   "bookkeeping",
	title:  "Bookkeeping",
	about:  "Makes books of the exports of banks: profit and loss, questions, anomalies, a ledger.",
	price:  "49 USD",
	most:   bookkeeping.MaxBytes + 64<<10,
	answer: keepBooks,
}

// booksPage is the report that the exports hold.
type booksPage struct {
	Report template.HTML
}

func keepBooks(r *http.Request) (any, error) {
	sources, err := filesOf(r)
	if err != nil {
		return nil, err
	}

	kept, err := bookkeeping.Keep(sources, bookkeeping.Options{
		BusinessKind: strings.TrimSpace(r.FormValue("business")),
		Locale:       strings.TrimSpace(r.FormValue("locale")),
		Currency:     strings.TrimSpace(r.FormValue("currency")),
		Sign:         r.FormValue("sign"),
	})
	var input *bookkeeping.InputError
	if errors.As(err, &input) {
		return nil, &refusal{"The " + input.Field + " " + input.Detail + "."}
	}
	if err != nil {
		return nil, err
	}
	return booksPage{template.HTML(kept.ReportBody())}, nil // the report escapes what the files hold
}

// filesOf are the files of a form.
func filesOf(r *http.Request) ([]bank.Source, error) {
	const inMemory = bookkeeping.MaxBytes
	if err := r.ParseMultipartForm(inMemory); err != nil {
		if errors.Is(err, http.ErrNotMultipart) {
			return nil, &refusal{"No file came with the form. Choose at least one."}
		}
		return nil, err
	}

	var sources []bank.Source
	for _, header := range r.MultipartForm.File["file"] {
		if header.Filename == "" {
			continue
		}
		data, err := contentOf(header)
		if err != nil {
			return nil, err
		}
		sources = append(sources, bank.Source{
			Name: header.Filename,
			Data: data,
		})
	}
	return sources, nil
}

func contentOf(header *multipart.FileHeader) ([]byte, error) {
	file, err := header.Open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}
