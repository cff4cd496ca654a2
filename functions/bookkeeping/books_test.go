package bookkeeping

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"governance.internal/functions/bookkeeping/bank"
	"governance.internal/functions/bookkeeping/currency"
)

// TestTenThousandBooks compares the statements of generated books with what was generated.
func TestTenThousandBooks(t *testing.T) {
	for seed := range uint64(10_000) {
		r := rand.New(rand.NewPCG(seed, 18))
		writer := &writers[r.IntN(len(writers))]
		book := generate(r, 13+r.IntN(25))
		source := writer.write(r, book)

		books, err := Keep([]bank.Source{source}, Options{})
		if isOpenQuestion(err) {
			continue // a short book may leave the order of its days open
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, source.Data)
		}

		got := int64(0)
		for _, s := range books.Answer.ProfitAndLoss {
			got += s.NetMinor
		}
		if want := net(book); got != want || len(books.Answer.Ledger) != len(book) {
			t.Fatalf("seed %d, %s: net %d, want %d; %d rows of %d\n%s", seed, writer.name, got, want, len(books.Answer.Ledger), len(book), source.Data)
		}
	}
}

func isOpenQuestion(err error) bool {
	return err != nil && strings.Contains(err.Error(), "order of day and month")
}

// TestJournalsBalanceInHledgerAndBeancount lets other programs judge generated books, many at once.
func TestJournalsBalanceInHledgerAndBeancount(t *testing.T) {
	folder := t.TempDir()
	var hledger, beans []string
	nets := map[string]int64{}

	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 4))
		writer := &writers[int(seed)%len(writers)]
		source := writer.write(r, generate(r, 20+r.IntN(60)))
		books, err := Keep([]bank.Source{source}, Options{})
		if isOpenQuestion(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}

		for _, s := range books.Answer.ProfitAndLoss {
			nets[s.Currency] += s.NetMinor
		}
		for _, export := range books.Exports() {
			name := filepath.Join(folder, export.Name+"-"+writer.name+"-"+currency.Units(int64(seed), "JPY"))
			switch export.Name {
			case "journal.hledger":
				hledger = append(hledger, "-f", name)
			case "journal.beancount":
				if seed >= 20 {
					continue
				}
				name += ".beancount"
				beans = append(beans, name)
			default:
				continue
			}
			if err := os.WriteFile(name, export.Data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}

	run(t, "hledger", append(hledger, "check", "-s", "ordereddates", "uniqueleafnames")...)
	checkNets(t, run(t, "hledger", append(hledger, "is", "-E", "-O", "csv")...), nets)
	for _, name := range beans {
		run(t, "bean-check", name)
	}
}

func run(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%.2000s", program, err, out)
	}
	return string(out)
}

// checkNets compares the last line of an income statement of hledger with our sums.
func checkNets(t *testing.T, statement string, nets map[string]int64) {
	t.Helper()
	for line := range strings.Lines(statement) {
		if !strings.HasPrefix(line, `"Net:"`) {
			continue
		}
		for code, minor := range nets {
			if want := currency.Units(minor, code) + " " + code; !strings.Contains(line, want) {
				t.Errorf("hledger's %s does not hold %s", line, want)
			}
		}
		return
	}
	t.Errorf("no net: %.500s", statement)
}
