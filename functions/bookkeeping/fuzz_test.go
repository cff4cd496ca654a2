package bookkeeping

import (
	"encoding/json"
	"testing"

	"governance.internal/functions/bookkeeping/bank"
)

// FuzzKeep makes books of foreign bytes and verifies them.
func FuzzKeep(f *testing.F) {
	f.Add([]byte("Date,Description,Amount\n2025-03-04,\"a\"\"b\",-4.50\n2025-03-04,=x,9\n"))
	f.Add([]byte("Datum;Text;Betrag\n04.03.2025;Miete;-1.980,00\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		books, err := Keep([]bank.Source{{Name: "f.csv", Data: data}}, Options{})
		if err != nil {
			return
		}
		text, err := json.Marshal(books.Answer)
		if err != nil {
			t.Fatal(err)
		}
		if check, err := VerifyAnswer(text, nil); err != nil || !check.Valid() {
			t.Fatalf("%+v %v", check, err)
		}
		for _, e := range books.Exports() {
			if e.Name != "ledger.csv" {
				continue
			}
			if check, err := VerifyTable(e.Data, books.Answer.Verification.InputSHA256); err != nil || !check.Valid() {
				t.Fatalf("%+v %v\n%s", check, err, e.Data)
			}
		}
	})
}

func FuzzVerify(f *testing.F) {
	f.Add([]byte(`{"ledger":[{"date":"2025-03-04"}]}`))
	f.Add([]byte("date,account\n"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _ = VerifyAnswer(data, nil)
		_, _ = VerifyTable(data, "")
	})
}

func FuzzRequest(f *testing.F) {
	f.Add("application/json", []byte(`{"csv":"a"}`))
	f.Add("multipart/form-data; boundary=b", []byte("--b\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\nx\r\n--b--\r\n"))
	f.Fuzz(func(_ *testing.T, contentType string, body []byte) {
		_, _, _ = readRequest(contentType, body)
	})
}
