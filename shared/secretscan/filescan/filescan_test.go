package filescan_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"governance.internal/shared/secretscan/filescan"
)

// alphabets are the characters that a placeholder of the labels stands for.
var alphabets = map[byte]string{
	'a': "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
	'h': "0123456789abcdef",
	'u': "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
	'l': "abcdefghijklmnopqrstuvwxyz0123456789",
	'b': "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
	'd': "0123456789",
	'w': "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
}

var filler = regexp.MustCompile(`\{\{([ahulbdw])(\d+)\}\}`)

// fill puts random text in place of {{a36}} and the like. Tokens are made here, because
// services refuse commits that hold them.
func fill(random *rand.Rand, text string) string {
	return filler.ReplaceAllStringFunc(text, func(mark string) string {
		parts := filler.FindStringSubmatch(mark)
		alphabet := alphabets[parts[1][0]]
		n, err := strconv.Atoi(parts[2])
		if err != nil {
			panic(err)
		}
		var b strings.Builder
		for range n {
			b.WriteByte(alphabet[random.IntN(len(alphabet))])
		}
		return b.String()
	})
}

// labelled is a file with the lines that must be found.
type labelled struct {
	name, text string
	want       map[int]string // line to its text in the labels
	lines      int
}

func labels(t *testing.T, file string, seed uint64) []labelled {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(seed, 7))
	var list []labelled
	for _, f := range archive.Files {
		l := labelled{
			name: f.Name,
			want: map[int]string{},
		}
		var b strings.Builder
		for line := range strings.Lines(string(f.Data)) {
			l.lines++
			if line[0] == '+' {
				l.want[l.lines] = strings.TrimSpace(line[1:])
			}
			b.WriteString(fill(random, line[1:]))
		}
		l.text = b.String()
		list = append(list, l)
	}
	return list
}

// Random tokens are secrets in every run, so several runs must agree with the labels.
const runs = 6

func TestSecretsAreFoundAndLookAlikesAreNot(t *testing.T) {
	found, missed, invented, positives, negatives := 0, map[string]int{}, map[string]int{}, 0, 0
	for _, file := range []string{"testdata/positives.txtar", "testdata/negatives.txtar"} {
		for seed := range uint64(runs) {
			for _, l := range labels(t, file, seed) {
				positives += len(l.want)
				negatives += l.lines - len(l.want)
				findings, _ := filescan.Scan(l.name, []byte(l.text))
				told := map[int]string{}
				for _, f := range findings {
					if f.Severity == filescan.Error {
						told[f.Line] = f.Rule + " " + f.Name
					}
				}

				for line, text := range l.want {
					if told[line] == "" {
						missed[l.name+": "+text]++
						continue
					}
					found++
				}
				for line, rule := range told {
					if l.want[line] == "" {
						text := strings.Split(l.text, "\n")[line-1]
						invented[fmt.Sprintf("%s:%d %s: %.100s", l.name, line, rule, text)]++
					}
				}
			}
		}
	}

	recall := float64(found) / float64(positives)
	inventions := 0
	for _, n := range invented {
		inventions += n
	}
	precision := float64(found) / float64(found+inventions)
	t.Logf("%d secrets and %d other lines in %d runs: recall %.3f, precision %.3f", positives/runs, negatives/runs, runs, recall, precision)
	if recall < 0.97 || precision < 0.97 || os.Getenv("SHOW") != "" {
		t.Errorf("missed %v\ninvented %s", missed, strings.Join(keys(invented), "\n"))
	}
}

func keys(m map[string]int) []string {
	var list []string
	for k, n := range m {
		list = append(list, fmt.Sprintf("%dx %s", n, k))
	}
	return list
}

// No file makes the scanner fail, and every place lies inside of the file.
func FuzzScan(f *testing.F) {
	for _, file := range []string{"testdata/positives.txtar", "testdata/negatives.txtar"} {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, each := range archive.Files {
			f.Add(each.Name, fill(rand.New(rand.NewPCG(1, 1)), string(each.Data)))
		}
	}

	f.Fuzz(func(t *testing.T, name, text string) {
		found, _ := filescan.Scan(name, []byte(text))
		for _, each := range found {
			if each.Start < 0 || each.End < each.Start || each.End > len(text) || each.Line < 1 {
				t.Fatalf("%+v in %d bytes", each, len(text))
			}
		}
	})
}

// Ten thousand files of two kilobytes take a few seconds.
func BenchmarkTenThousandFiles(b *testing.B) {
	line := "const client = new Client({ url: 'https://api.example.com', retries: 3, name: \"orders\" });\n"
	text := []byte(strings.Repeat(line, 2048/len(line)))
	for b.Loop() {
		for range 10_000 {
			filescan.Scan("src/client.ts", text)
		}
	}
}

// A line of a megabyte, as minified code has it, is no trap.
func TestALongLineIsReadInGoodTime(t *testing.T) {
	text := []byte(strings.Repeat(`a(b,"c:d");e={f:"g"};`, 20_000) + `x={apiKey:"Zk39fjQw02mVbx81aaPqXX77"}`)
	found, _ := filescan.Scan("app.min.js", text)
	if len(found) != 1 {
		t.Errorf("%+v", found)
	}

	dump := []byte(strings.Repeat(`password="aB3$xyz9k", t="user=a password=Zk39fjQw02 x" `, 4_000))
	if found, _ := filescan.Scan("dump.js", dump); len(found) != 1000 {
		t.Errorf("%d findings", len(found))
	}
}
