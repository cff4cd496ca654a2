package dispatch

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// grown is a log that grows by some bytes with each look.
type grown struct {
	text string
	step int
	at   int
}

func (g *grown) Read(to []byte) (int, error) {
	n := copy(to, g.text[g.at:min(g.at+g.step, len(g.text))])
	g.at += n
	return n, nil
}

const secretKey = "-----BEGIN PRIVATE KEY-----\nAAAA\nBBBB\n-----END PRIVATE KEY-----\n"

// However a log grows and wherever a client goes on, it gets whole lines, a key as a whole,
// and nothing is left out or comes twice.
func TestALogIsFollowedInWholeLines(t *testing.T) {
	text := "one\ntwo\n" + secretKey + "three\n" + strings.Repeat("long ", 100) + "\n" + secretKey + "the end, without a line end"
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 200 {
		log := &grown{text: text, step: 1 + random.IntN(40)}
		s := &splitter{log: log}
		var ends []int64
		var parts []string
		collect := func(part []byte, next int64) error {
			parts, ends = append(parts, string(part)), append(ends, next)
			return nil
		}
		for log.at < len(text) {
			if err := s.rest(false, 0, collect); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.rest(true, 0, collect); err != nil {
			t.Fatal(err)
		}
		if strings.Join(parts, "") != text || ends[len(ends)-1] != int64(len(text)) {
			t.Fatalf("step %d: %q", log.step, parts)
		}
		for _, part := range parts[:len(parts)-1] {
			if !strings.HasSuffix(part, "\n") || strings.Count(part, "-----BEGIN") != strings.Count(part, "-----END") {
				t.Fatalf("step %d: part %q", log.step, part)
			}
		}
		for i, from := range ends {
			var rest bytes.Buffer
			s := &splitter{log: &grown{text: text, step: len(text)}}
			if err := s.rest(true, from, func(part []byte, _ int64) error { rest.Write(part); return nil }); err != nil {
				t.Fatal(err)
			}
			if want := strings.Join(parts[i+1:], ""); rest.String() != want {
				t.Fatalf("from %d: %q, want %q", from, rest.String(), want)
			}
		}
	}
}

// A place in the middle of a key or of a line shows no half of it.
func TestAPlaceInTheMiddleCountsAsTheBeginning(t *testing.T) {
	text := "one\n" + secretKey + "two\n"
	for from := range len(text) {
		var rest bytes.Buffer
		s := &splitter{log: strings.NewReader(text)}
		if err := s.rest(true, int64(from), func(part []byte, _ int64) error { rest.Write(part); return nil }); err != nil {
			t.Fatal(err)
		}
		got := rest.String()
		if strings.Contains(got, "BBBB") && !strings.Contains(got, "-----BEGIN") || !strings.HasSuffix(got, "two\n") || !strings.HasSuffix("\n"+text, "\n"+got) {
			t.Errorf("from %d: %q", from, got)
		}
	}
	if n := wholeLines([]byte(strings.Repeat("x", 2*mostPart)), false); n != 2*mostPart {
		t.Error(fmt.Sprint(n, " bytes of a line without an end"))
	}
}
