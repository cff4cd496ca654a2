package bank

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"governance.internal/functions/bookkeeping/currency"
)

// testCase is one case of the files in testdata.
type testCase struct {
	name     string
	encode   string
	ends     string
	settings Settings
	sources  []Source
	want     []string
}

func readCases(t *testing.T, file string) []testCase {
	t.Helper()
	raw, err := os.ReadFile("../testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}

	var cases []testCase
	for _, block := range strings.Split("\n"+string(raw), "\n## ")[1:] {
		cases = append(cases, parseCase(strings.Split(strings.TrimRight(block, "\n"), "\n")))
	}
	return cases
}

func parseCase(lines []string) testCase {
	c := testCase{name: lines[0]}
	var content *strings.Builder
	var contents []*strings.Builder
	inWant := false

	for _, line := range lines[1:] {
		key, value, _ := strings.Cut(line, ": ")
		switch {
		case line == "want:":
			inWant = true
		case inWant && line != "":
			c.want = append(c.want, line)
		case inWant:
		case key == "input":
			content = &strings.Builder{}
			contents = append(contents, content)
			c.sources = append(c.sources, Source{Name: value})
		case content == nil && key == "encode":
			c.encode = value
		case content == nil && key == "ends":
			c.ends = value
		case content == nil && key == "options":
			c.setOptions(value)
		default:
			content.WriteString(line + "\n")
		}
	}

	for i := range c.sources {
		c.sources[i].Data = c.encoded(contents[i].String())
	}
	return c
}

func (c *testCase) setOptions(options string) {
	for option := range strings.FieldsSeq(options) {
		key, value, _ := strings.Cut(option, "=")
		switch key {
		case "currency":
			c.settings.Currency = value
		case "locale":
			c.settings.Locale = value
		}
	}
}

func (c *testCase) encoded(text string) []byte {
	text = strings.ReplaceAll(text, `\0`, "\x00")
	switch c.ends {
	case "crlf":
		text = strings.ReplaceAll(text, "\n", "\r\n")
	case "cr":
		text = strings.ReplaceAll(text, "\n", "\r")
	}

	out := text
	switch c.encode {
	case "utf-16le-bom":
		out, _ = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(text)
	case "utf-16be-bom":
		out, _ = unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder().String(text)
	case "utf-16le":
		out, _ = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder().String(text)
	case "utf-8-bom":
		out = "\ufeff" + text
	case "windows-1252":
		out, _ = charmap.Windows1252.NewEncoder().String(text)
	}
	return []byte(out)
}

// readAll reads the sources of a case as the engine does.
func (c *testCase) readAll() ([]*File, error) {
	var files []*File
	for _, source := range c.sources {
		file, err := Read(source, c.settings)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	Merge(files)
	return files, nil
}

func (c *testCase) check(t *testing.T) {
	files, err := c.readAll()
	if word, refused := strings.CutPrefix(c.want[0], "refused: "); refused {
		if err == nil {
			t.Fatalf("it was read: %s", strings.Join(c.told(files), "\n"))
		}
		if !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(word)) {
			t.Errorf("the refusal %q does not hold %q", err, word)
		}
		return
	}
	if err != nil {
		t.Fatalf("refused: %v", err)
	}

	got := c.told(files)
	if len(got) != len(c.want) {
		t.Fatalf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
	}
	for i := range got {
		if !strings.HasPrefix(got[i], c.want[i]) {
			t.Errorf("got  %s\nwant %s", got[i], c.want[i])
		}
	}
}

// told writes the rows as the cases do.
func (c *testCase) told(files []*File) []string {
	var out []string
	var skipped []string
	for _, file := range files {
		for _, row := range file.Rows {
			at := fmt.Sprint(row.Line)
			if len(files) > 1 {
				at = file.Name + ":" + at
			}
			out = append(out, fmt.Sprintf("%s %s %d %s %s", at, row.Day, row.Minor, row.Currency, row.Description))
		}
		for _, s := range file.Skipped {
			skipped = append(skipped, fmt.Sprint(s.Line))
		}
	}
	if len(skipped) > 0 {
		slices.Sort(skipped)
		out = append(out, "skipped: "+strings.Join(skipped, ","))
	}
	return out
}

func TestBanksAreRead(t *testing.T) {
	for _, c := range readCases(t, "dialects.txt") {
		t.Run(c.name, c.check)
	}
}

func TestOddFilesAreReadRightOrRefused(t *testing.T) {
	cases := readCases(t, "adversarial.txt")
	if len(cases) < 60 {
		t.Errorf("there are %d cases", len(cases))
	}
	for _, c := range cases {
		t.Run(c.name, c.check)
	}
}

func TestUnitsAreWrittenInFull(t *testing.T) {
	for want, got := range map[string]string{
		"-0.05": currency.Units(-5, "USD"),
		"12":    currency.Units(12, "JPY"),
		"1.234": currency.Units(1234, "KWD"),
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
