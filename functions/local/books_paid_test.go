package main

import (
	"encoding/json"
	"strings"
	"testing"

	"governance.internal/shared/x402"
)

const booksPath = "/x402/bookkeeping"

func booksBody(t *testing.T, csv string) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{"files": []map[string]string{{"name": "bank.csv", "csv": csv}}})
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestBookkeepingRefusalsCostNothing(t *testing.T) {
	r := start(t)
	wantStatus(t, r.call("POST", booksPath, ""), 402, "unpaid and empty")

	header := r.payment("POST", booksPath)
	for _, row := range []struct {
		name, body string
		status     int
		code       string
	}{
		{"nothing", "", 400, "invalid_json"},
		{"no files", "{}", 400, "invalid_input"},
		{"a misspelled option", `{"csv":"a","options":{"curency":"USD"}}`, 400, "invalid_json"},
		{"both", `{"csv":"a","files":[{"name":"a","csv":"b"}]}`, 400, "invalid_json"},
		{"days or months", booksBody(t, "Date,Description,Amount\n03/04/2025,Coffee,-4.50\n"), 400, "invalid_input"},
		{"5 MB and more", booksBody(t, strings.Repeat("a", 5<<20)), 413, "body_too_large"},
	} {
		a := r.call("POST", booksPath, row.body, x402.HeaderSignature, header)
		wantStatus(t, a, row.status, row.name)
		problem := a.json(t)
		if problem["code"] != row.code || problem["charged"] != false {
			t.Errorf("%s: %s", row.name, a.body)
		}
	}
	r.wantReceived(0, "after the refusals")
}

func TestBookkeepingTakesFilesAsPeopleSendThem(t *testing.T) {
	r := start(t)
	form := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"bank.csv\"\r\n\r\n" + bankCSV +
		"\r\n--b\r\nContent-Disposition: form-data; name=\"options\"\r\n\r\n{\"business_kind\":\"studio\"}\r\n--b--\r\n"

	for _, row := range []struct{ name, body, mediaType string }{
		{"JSON", booksBody(t, bankCSV), "application/json"},
		{"CSV", bankCSV, "text/csv"},
		{"a form", form, "multipart/form-data; boundary=b"},
	} {
		a := r.call("POST", booksPath, row.body, "Content-Type", row.mediaType, x402.HeaderSignature, r.payment("POST", booksPath))
		wantStatus(t, a, 200, row.name)
		statements, _ := a.json(t)["profit_and_loss"].([]any)
		if len(statements) != 1 || statements[0].(map[string]any)["net_minor"] != 94001.0 {
			t.Errorf("%s: %s", row.name, a.body)
		}
	}
	r.wantReceived(3*49_000_000, "after three sales")
}
