// Command secrets scans the labelled files of filescan with it and with gitleaks, and prints
// recall and precision of both. Tokens are made at random, as in the tests of filescan.
package main

import (
	"fmt"
	"log"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"

	"github.com/zricethezav/gitleaks/v8/detect"
	"golang.org/x/tools/txtar"

	"governance.internal/shared/secretscan/filescan"
)

const labels = "../../shared/secretscan/filescan/testdata/"

// runs is how often the tokens are made again.
const runs = 5

// scanner finds the lines of a file that hold a secret.
type scanner func(name, text string) map[int]bool

func main() {
	log.SetFlags(0)
	detector, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		log.Fatal(err)
	}

	measure("filescan", func(name, text string) map[int]bool {
		found := map[int]bool{}
		list, _ := filescan.Scan(name, []byte(text))
		for _, f := range list {
			if f.Severity == filescan.Error {
				found[f.Line] = true
			}
		}
		return found
	})
	measure("gitleaks", func(name, text string) map[int]bool {
		found := map[int]bool{}
		for _, f := range detector.Detect(detect.Fragment{Raw: text, FilePath: name}) {
			found[f.StartLine+1] = true
		}
		return found
	})
}

// measure prints how well a scanner agrees with the labels.
func measure(name string, scan scanner) {
	hits, wanted, told := 0, 0, 0
	for seed := range uint64(runs) {
		random := rand.New(rand.NewPCG(seed, 7))
		for _, file := range []string{"positives.txtar", "negatives.txtar"} {
			archive, err := txtar.ParseFile(labels + file)
			if err != nil {
				log.Fatal(err)
			}
			for _, f := range archive.Files {
				text, want := labelled(random, string(f.Data))
				found := scan(f.Name, text)
				wanted += len(want)
				told += len(found)
				for line := range found {
					if want[line] {
						hits++
					}
				}
			}
		}
	}
	fmt.Printf("%s: recall %.3f, precision %.3f (%d secrets, %d reported)\n",
		name, float64(hits)/float64(wanted), float64(hits)/float64(max(told, 1)), wanted/runs, told/runs)
}

// labelled takes the marks out of a file, and returns the lines that hold a secret.
func labelled(random *rand.Rand, data string) (string, map[int]bool) {
	var text strings.Builder
	want := map[int]bool{}
	number := 0
	for line := range strings.Lines(data) {
		number++
		if line[0] == '+' {
			want[number] = true
		}
		text.WriteString(fill(random, line[1:]))
	}
	return text.String(), want
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

var alphabets = map[string]string{
	"a": letters + "0123456789",
	"h": "0123456789abcdef",
	"u": letters[:26] + "0123456789",
	"l": letters[26:] + "0123456789",
	"b": letters + "0123456789+/",
	"d": "0123456789",
	"w": letters + "0123456789-_",
}

var filler = regexp.MustCompile(`\{\{([ahulbdw])(\d+)\}\}`)

// fill puts random text in place of {{a36}} and the like.
func fill(random *rand.Rand, text string) string {
	return filler.ReplaceAllStringFunc(text, func(mark string) string {
		parts := filler.FindStringSubmatch(mark)
		alphabet := alphabets[parts[1]]
		n, err := strconv.Atoi(parts[2])
		if err != nil {
			log.Fatal(err)
		}
		var b strings.Builder
		for range n {
			b.WriteByte(alphabet[random.IntN(len(alphabet))])
		}
		return b.String()
	})
}
