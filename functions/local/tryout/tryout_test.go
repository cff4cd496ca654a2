package tryout

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"governance.internal/shared/httpapi"
)

// send fills in a form and returns the status and the page.
func send(t *testing.T, path string, fields map[string]string, file string, header ...string) (int, string) {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range fields {
		if err := form.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if file != "" {
		part, err := form.CreateFormFile("file", "given.txt")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = part.Write([]byte(file)) // into memory
	}
	_ = form.Close() // into memory

	r := httptest.NewRequest("POST", path, &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	httpapi.Mux(Routes()).ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func get(t *testing.T, path string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	httpapi.Mux(Routes()).ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w.Code, w.Body.String()
}

func TestEveryEngineIsListedAndHasAForm(t *testing.T) {
	_, index := get(t, Path)
	for _, e := range engines {
		if !strings.Contains(index, Path+"/"+e.name) {
			t.Errorf("%s is not listed", e.name)
		}
		status, page := get(t, Path+"/"+e.name)
		if status != 200 || !strings.Contains(page, "<form") || strings.Contains(page, "<script") {
			t.Errorf("%s: %d", e.name, status)
		}
	}
}

const contract = "Services Agreement between Alder Mills LLC and Jane Roe.\n\n1. Fees. The Provider may raise the fees at any time without notice. <b>Bold</b>\n\n2. Law. The laws of Oregon govern this agreement."

func TestLegalTextIsShownWithItsFindingsMarked(t *testing.T) {
	for name, given := range map[string][2]string{"text": {contract, ""}, "file": {"", contract}} {
		status, page := send(t, Path+"/legal-prep", map[string]string{"mode": "doc_review", "text": given[0]}, given[1])
		if status != 200 || !strings.Contains(page, "<mark class=") || !strings.Contains(page, "not legal advice") {
			t.Errorf("%s: %d\n%s", name, status, page)
		}
		if strings.Contains(page, "<b>Bold") || !strings.Contains(page, "&lt;b&gt;Bold") {
			t.Errorf("%s: the text is not escaped", name)
		}
	}
}

func TestEveryModeMakesAPage(t *testing.T) {
	for _, mode := range []string{"", "explain", "questions", "draft"} {
		if status, page := send(t, Path+"/legal-prep", map[string]string{"mode": mode, "text": contract}, ""); status != 200 || !strings.Contains(page, "</html>") {
			t.Errorf("%s: %d", mode, status)
		}
	}
}

func TestRefusalsAreShownBesideTheForm(t *testing.T) {
	tests := []struct {
		name   string
		fields map[string]string
		header []string
		status int
		says   string
	}{
		{"nothing", map[string]string{}, nil, 400, "is empty"},
		{"a mode", map[string]string{"mode": "sue", "text": "x"}, nil, 400, "is one of"},
		{"too long", map[string]string{"text": strings.Repeat("a", 20_001)}, nil, 400, "20001 characters"},
		{"far too long", map[string]string{"text": strings.Repeat("a", 1<<20)}, nil, 413, "longer than 256 KB"},
		{"another site", map[string]string{"text": contract}, []string{"Sec-Fetch-Site", "cross-site"}, 403, "another site"},
	}
	for _, test := range tests {
		status, page := send(t, Path+"/legal-prep", test.fields, "", test.header...)
		if status != test.status || !strings.Contains(page, test.says) || !strings.Contains(page, "<form") {
			t.Errorf("%s: %d\n%.2000s", test.name, status, page)
		}
	}
}

func TestAPlainFormIsRead(t *testing.T) {
	form := url.Values{"mode": {"doc_review"}, "text": {contract}}
	r := httptest.NewRequest("POST", Path+"/legal-prep", strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	httpapi.Mux(Routes()).ServeHTTP(w, r)
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "<mark") {
		t.Errorf("%d", w.Code)
	}
}

func TestBooksAreShown(t *testing.T) {
	const exported = "Date,Description,Amount,Currency\n2025-03-04,ADOBE <b>CLOUD</b>,-59.99,USD\n2025-04-05,STRIPE TRANSFER,1000.00,USD\n"
	status, page := send(t, Path+"/bookkeeping", map[string]string{"business": "studio"}, exported)
	if status != 200 || !strings.Contains(page, "940.01") || !strings.Contains(page, "<svg") || strings.Contains(page, "<b>CLOUD") {
		t.Errorf("%d\n%s", status, page)
	}

	status, page = send(t, Path+"/bookkeeping", nil, "Date,Description,Amount\n03/04/2025,Coffee,-4.50\n")
	if status != 400 || !strings.Contains(page, "2025-03-04 or 2025-04-03") {
		t.Errorf("%d\n%s", status, page)
	}
	if status, _ := send(t, Path+"/bookkeeping", nil, ""); status != 400 {
		t.Errorf("no file: %d", status)
	}
}

func TestADescriptionIsShownWithItsEvidenceMarked(t *testing.T) {
	text := "Each <b>call</b> is logged. Nobody approves anything."
	status, page := send(t, Path+"/scan", map[string]string{"text": text}, "")
	if status != 200 || !strings.Contains(page, "<mark class=") || !strings.Contains(page, "of 100") {
		t.Errorf("%d\n%s", status, page)
	}
	if strings.Contains(page, "<b>call") || strings.Contains(page, "<script") {
		t.Error("the text is not escaped")
	}
}

func TestInstructionsAreDiagnosedOnAPage(t *testing.T) {
	text := "# Rules\n\n- Use tabs for indentation.\n- <b>Ask</b> before you commit.\n- Indent with spaces, never with tabs.\n"
	status, page := send(t, Path+"/agent-therapy", map[string]string{"text": text}, "")
	if status != 200 || !strings.Contains(page, "Contradictions") || !strings.Contains(page, "Use tabs for indentation") || strings.Contains(page, "<b>Ask") {
		t.Errorf("%d\n%s", status, page)
	}
	if status, page := send(t, Path+"/agent-therapy", map[string]string{}, ""); status != 400 || !strings.Contains(page, "<form") {
		t.Errorf("nothing: %d", status)
	}

	conversation := "User: Use npm.\nAssistant: Done with yarn.\nUser: No, use npm!\nAssistant: I used yarn.\nUser: Again: npm, not yarn!\nAssistant: All tests pass.\n"
	if status, page := send(t, Path+"/agent-therapy", map[string]string{"text": conversation}, ""); status != 200 || !strings.Contains(page, "</html>") {
		t.Errorf("a conversation: %d\n%s", status, page)
	}
}
