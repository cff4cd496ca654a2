// Package tryout serves pages on which a person tries the engines behind the paid products:
// a form, and the answer as a page that can be saved and passed on as one file.
//
// It belongs to the laptop. The engines are free there, and what the pages show are the same
// answers that the products sell.
package tryout

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/http"

	"governance.internal/shared/httpapi"
)

// Path is where the pages begin.
const Path = "/try"

// An engine is one product on these pages.
type engine struct {
	name  string // last part of its path, and name of its template
	title string
	about string
	price string
	most  int64 // longest request in bytes

	// answer computes what the template shows. A *refusal is shown beside the form.
	answer func(*http.Request) (any, error)
}

// refusal is a reason why the input has no answer, in words for a person.
type refusal struct{ reason string }

func (r *refusal) Error() string { return r.reason }

var engines = []engine{
	legal,
	books,
	therapy,
	governance,
}

//go:embed pages/*.html
var files embed.FS

//go:embed style.css
var style string

var (
	templates = template.Must(template.New("").ParseFS(files, "pages/*.html"))

	// policy lets a page load nothing and send its form only to this server.
	policy = fmt.Sprintf("default-src 'none'; style-src '%s'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'", styleHash())
)

func styleHash() string {
	sum := sha256.Sum256([]byte(style))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Routes are the pages: a list of the engines, and a form and its answer for each.
func Routes() []httpapi.Route {
	routes := []httpapi.Route{{
		Method:  http.MethodGet,
		Path:    Path,
		Handler: http.HandlerFunc(list),
	}}
	for _, e := range engines {
		address := Path + "/" + e.name
		routes = append(routes,
			httpapi.Route{Method: http.MethodGet, Path: address, Handler: http.HandlerFunc(e.form)},
			httpapi.Route{Method: http.MethodPost, Path: address, Handler: http.HandlerFunc(e.serve)},
		)
	}
	return routes
}

// page is what every template is given.
type page struct {
	Title  string
	About  string
	Price  string
	Style  template.CSS
	Action string
	Reason string // of a refusal
	Given  any    // what the form was filled with
	Answer any    // of the engine, nil before the form was sent
	Links  []link // of the list
}

type link struct{ Address, Title, About, Price string }

func list(w http.ResponseWriter, _ *http.Request) {
	p := page{Title: "Try the products", Style: template.CSS(style)}
	for _, e := range engines {
		p.Links = append(p.Links, link{Path + "/" + e.name, e.title, e.about, e.price})
	}
	write(w, http.StatusOK, "list.html", p)
}

func (e engine) page() page {
	return page{
		Title:  e.title,
		About:  e.about,
		Price:  e.price,
		Style:  template.CSS(style),
		Action: Path + "/" + e.name,
	}
}

func (e engine) form(w http.ResponseWriter, _ *http.Request) {
	write(w, http.StatusOK, e.name+".html", e.page())
}

// serve answers a form. Forms of other sites' pages are refused: they could make this machine
// work.
func (e engine) serve(w http.ResponseWriter, r *http.Request) {
	p := e.page()
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		p.Reason = "The form was sent by a page of another site. Fill in this one."
		write(w, http.StatusForbidden, e.name+".html", p)
		return
	}

	r.Body = http.MaxBytesReader(w, r.Body, e.most)
	answer, err := e.answer(r)

	var tooLarge *http.MaxBytesError
	var refused *refusal
	status := http.StatusOK
	switch {
	case errors.As(err, &tooLarge):
		status, p.Reason = http.StatusRequestEntityTooLarge, fmt.Sprintf("The input is longer than %d KB. Send a smaller one.", e.most>>10)
	case errors.As(err, &refused):
		status, p.Reason = http.StatusBadRequest, refused.reason
	case err != nil:
		status, p.Reason = http.StatusInternalServerError, "The engine failed: "+err.Error()
	default:
		p.Answer = answer
	}
	write(w, status, e.name+".html", p)
}

func write(w http.ResponseWriter, status int, name string, p page) {
	var out bytes.Buffer
	if err := templates.ExecuteTemplate(&out, name, p); err != nil {
		http.Error(w, "The page cannot be made: "+err.Error(), http.StatusInternalServerError)
		return
	}

	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", policy)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes()) // the client may be gone
}

// textOf is the file of a form, or else its text field.
func textOf(r *http.Request) (string, error) {
	const inMemory = 1 << 20
	if err := r.ParseMultipartForm(inMemory); err != nil && !errors.Is(err, http.ErrNotMultipart) {
		return "", err
	}

	file, _, err := r.FormFile("file")
	if errors.Is(err, http.ErrMissingFile) || errors.Is(err, http.ErrNotMultipart) {
		return r.FormValue("text"), nil
	}
	if err != nil {
		return "", err
	}
	defer file.Close()

	content, err := io.ReadAll(file)
	if err != nil {
		return "", err
	}
	if len(content) == 0 {
		return r.FormValue("text"), nil
	}
	return string(content), nil
}
