package bookkeeping

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"governance.internal/functions/bookkeeping/bank"
)

// sampleBooks are a few rows with what is hard to write: quotes, formulas, ampersands, another script.
func sampleBooks(t *testing.T) (*Books, []bank.Source) {
	t.Helper()
	sources := []bank.Source{
		{Name: "one.csv", Data: []byte("Date,Description,Amount,Currency\n2025-03-04,\"=SUM(\"\"A1\"\")\",-4.50,USD\n2025-03-13,Café & Möwe,-12.00,EUR\n2025-03-14,STRIPE TRANSFER,100.00,USD\n")},
		{Name: "two.csv", Data: []byte("Datum;Text;Betrag\n04.03.2025;Miete März;-980,00\n")},
	}
	books, err := Keep(sources, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return books, sources
}

func answerText(t *testing.T, a *Answer) []byte {
	t.Helper()
	text, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

func TestAnswersAreVerified(t *testing.T) {
	books, sources := sampleBooks(t)
	check, err := VerifyAnswer(answerText(t, books.Answer), sources)
	if err != nil || !check.Valid() || check.Rows != 4 {
		t.Errorf("%+v %v", check, err)
	}

	compact, _ := json.Marshal(books.Answer)
	if check, err := VerifyAnswer(compact, nil); err != nil || !check.Valid() {
		t.Errorf("%+v %v", check, err)
	}
}

// TestEveryChangedByteIsLocated changes each byte of an answer.
func TestEveryChangedByteIsLocated(t *testing.T) {
	books, _ := sampleBooks(t)
	text := answerText(t, books.Answer)
	begin := bytes.Index(text, []byte(`"ledger": [`)) + len(`"ledger": [`)
	end := bytes.Index(text, []byte(`"profit_and_loss"`)) - len("],\n  ")

	for i := range text {
		changed := bytes.Clone(text)
		changed[i] ^= 1
		check, err := VerifyAnswer(changed, nil)
		if err != nil {
			continue // it is no answer any more
		}
		if check.Valid() {
			t.Fatalf("byte %d: a change of %q passes", i, text[max(0, i-20):i+20])
		}
		if i < begin || i >= end {
			continue
		}

		row := bytes.Count(text[begin:i], []byte("\n    },")) + 1
		if got := check.Faults[0].Row; got != row && got != row+1 && got != row-1 {
			t.Fatalf("byte %d of row %d is located in row %d (%s): %q", i, row, got, check.Faults[0].What, text[max(0, i-30):i+20])
		}
	}
}

func TestEveryChangedByteOfATableIsLocated(t *testing.T) {
	books, _ := sampleBooks(t)
	var table []byte
	for _, e := range books.Exports() {
		if e.Name == "ledger.csv" {
			table = e.Data
		}
	}
	input := books.Answer.Verification.InputSHA256
	if check, err := VerifyTable(table, input); err != nil || !check.Valid() || check.LedgerRoot != books.Answer.Verification.LedgerRoot {
		t.Fatalf("%+v %v", check, err)
	}

	for i := range table {
		changed := bytes.Clone(table)
		changed[i] ^= 1
		check, err := VerifyTable(changed, input)
		if err == nil && check.Valid() {
			t.Fatalf("byte %d: a change of %q passes", i, table[max(0, i-20):i+20])
		}
	}
}

func TestAChangedInputIsLocated(t *testing.T) {
	books, sources := sampleBooks(t)
	text := answerText(t, books.Answer)
	for i := range sources[0].Data {
		changed := bytes.Clone(sources[0].Data)
		changed[i] ^= 1
		inputs := []bank.Source{{Name: "one.csv", Data: changed}, sources[1]}

		check, err := VerifyAnswer(text, inputs)
		if err != nil || check.Valid() {
			t.Fatalf("byte %d passes: %v", i, err)
		}
		fault := check.Faults[0]
		line := 1 + bytes.Count(sources[0].Data[:i], []byte("\n"))
		isReadable := !strings.Contains(fault.What, "cannot be read")
		if line > 1 && isReadable && fault.Line != line {
			t.Errorf("byte %d of line %d: %+v", i, line, fault)
		}
	}
}

// TestTheRecipe follows the recipe of an answer with the real programs.
func TestTheRecipe(t *testing.T) {
	books, sources := sampleBooks(t)
	folder := t.TempDir()
	for _, s := range append(sources, bank.Source{Name: "answer.json", Data: answerText(t, books.Answer)}) {
		if err := os.WriteFile(filepath.Join(folder, s.Name), s.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	v := books.Answer.Verification

	script := strings.ReplaceAll(strings.Join(v.Recipe, "\n"), "FILES", "one.csv two.csv")
	shell := exec.Command("bash", "-eu", "-c", script)
	shell.Dir = folder
	out, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if want := v.InputSHA256 + "\n" + v.LedgerRoot + "\n"; string(out) != want {
		t.Errorf("the recipe says\n%s\nwant\n%s", out, want)
	}
}

func TestTheManifest(t *testing.T) {
	books, _ := sampleBooks(t)
	folder := t.TempDir()
	for _, e := range books.Exports() {
		if err := os.WriteFile(filepath.Join(folder, e.Name), e.Data, 0o600); err != nil {
			t.Fatal(err)
		}
		if e.Name == "ledger.csv" && !strings.Contains(string(e.Data), "'=SUM") {
			t.Errorf("a formula stands in the table: %s", e.Data)
		}
	}
	sums := exec.Command("sha256sum", "--strict", "-c", "manifest.sha256")
	sums.Dir = folder
	if out, err := sums.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestAnswersAreTheSameBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	source := writers[4].write(r, generate(r, 60))
	var first []byte
	for range 20 {
		books, err := Keep([]bank.Source{source}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		text := answerText(t, books.Answer)
		for _, e := range books.Exports() {
			text = append(text, e.Data...)
		}
		if first == nil {
			first = text
		}
		if !bytes.Equal(first, text) {
			t.Fatal("two answers differ")
		}
	}
}

func TestAnswersAreWrittenAsJSONDoes(t *testing.T) {
	books, _ := sampleBooks(t)
	var got bytes.Buffer
	if err := books.Answer.WriteJSON(&got); err != nil {
		t.Fatal(err)
	}
	if want := answerText(t, books.Answer); !bytes.Equal(got.Bytes(), want) {
		t.Errorf("got\n%s\nwant\n%s", got.Bytes(), want)
	}
}
