package bots_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"

	"governance.internal/functions/toolserver/inspect/bots"
)

// compliant are the ten bots that keep every standard, by their names.
func compliant(t *testing.T) map[string]string {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/compliant.txtar")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, f := range archive.Files {
		all[f.Name] = string(f.Data)
	}
	return all
}

// fault is one of faults.yaml.
type fault struct {
	Name    string
	Bot     string
	Was     string
	Becomes string
	Fails   []string
}

func faults(t *testing.T) []fault {
	t.Helper()
	text, err := os.ReadFile("testdata/faults.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var list []fault
	if err := yaml.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// failing are the standards that a bot does not keep.
func failing(r bots.Result) []string {
	list := []string{}
	for id, v := range r.Standards {
		if v.Failed() {
			list = append(list, id)
		}
	}
	slices.Sort(list)
	return list
}

func TestTenBotsKeepEveryStandard(t *testing.T) {
	all := compliant(t)
	if len(all) != 10 {
		t.Errorf("%d bots", len(all))
	}
	for name, text := range all {
		r := bots.Judge(name, "", []byte(text), "", nil)
		head, _, _ := strings.Cut(text, "\n")
		if !r.Compliant || !strings.Contains(head, "platform: "+r.Platform) {
			t.Errorf("%s on %s: %v %+v", name, r.Platform, failing(r), r.Standards)
		}
		for id, v := range r.Standards {
			if v.NA != strings.Contains(head, "not "+id) {
				t.Errorf("%s %s: %+v", name, id, v)
			}
			if v.Passed() && (v.Line == 0 || v.Detail == "") {
				t.Errorf("%s %s passes without a place: %+v", name, id, v)
			}
		}
	}
}

func TestEachFaultFailsItsStandard(t *testing.T) {
	all := compliant(t)
	for _, f := range faults(t) {
		if strings.Count(all[f.Bot], f.Was) != 1 {
			t.Errorf("%s: the piece is %d times in %s", f.Name, strings.Count(all[f.Bot], f.Was), f.Bot)
			continue
		}
		text := strings.Replace(all[f.Bot], f.Was, f.Becomes, 1)
		r := bots.Judge(f.Bot, "", []byte(text), "", nil)
		if got := failing(r); !slices.Equal(got, f.Fails) {
			t.Errorf("%s: fails %v, want %v", f.Name, got, f.Fails)
			for _, id := range append(got, f.Fails...) {
				t.Logf("  %s %+v", id, r.Standards[id])
			}
		}
	}
}

func TestBotsInOtherStyles(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/styles.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		head, text, _ := strings.Cut(string(f.Data), "\n")
		want := strings.Fields(strings.TrimPrefix(head, "// fails:"))
		r := bots.Judge(f.Name, "", []byte(text), "", nil)
		if got := failing(r); !slices.Equal(got, append([]string{}, want...)) {
			t.Errorf("%s on %s: fails %v, want %v", f.Name, r.Platform, got, want)
			for _, id := range append(got, want...) {
				if slices.Contains(got, id) != slices.Contains(want, id) {
					t.Logf("  %s %+v", id, r.Standards[id])
				}
			}
		}
	}
}

func TestSmallBotsByStandard(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/more.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		lines := strings.SplitN(string(f.Data), "\n", 3)
		want := strings.Fields(strings.TrimPrefix(lines[0], "// passes:"))
		r := bots.Judge(f.Name, "another", []byte(lines[2]), "", nil)
		for _, id := range strings.Fields(strings.TrimPrefix(lines[1], "// of:")) {
			if v := r.Standards[id]; v.Passed() != slices.Contains(want, id) {
				t.Errorf("%s: %s: %v %s (line %d)", f.Name, id, v.Passed(), v.Detail, v.Line)
			}
		}
	}
}

// What counts as acceptance is what people are told, and not what a program takes.
func TestPhrasesOfAcceptance(t *testing.T) {
	prompt := func(text string) bots.Verdict {
		source := "bot.on('text', async (ctx) => ctx.reply(await complete({ system: `" + text + "`, input: ctx.text })));"
		return bots.Judge("a.js", "another", []byte(source), "", nil).Standards[bots.AcceptancePhilosophy]
	}
	for _, text := range []string{
		"Accept the user as they are.", "You accept people without judgment.", "Meet users where they are.",
		"Radical acceptance is your philosophy.", "You are warm and accepting.", "Unconditional positive regard, always.",
		"Welcome everyone as they are.", "All feelings are valid.", "Never judge the person.", "Acceptance first, advice second.",
		"Du akzeptierst Menschen so wie sie sind.", "You hold a non-judgmental space.", "Accept whatever they bring.",
		"Start from acceptance of who the person is.", "Everyone is accepted here.",
	} {
		if !prompt(text).Passed() {
			t.Errorf("%q is no acceptance", text)
		}
	}
	for _, text := range []string{
		"Check the acceptance criteria of the user story.", "Do not accept payments from users.", "Accept only JSON from the user.",
		"Never accept the excuses of the user.", "Accept messages from users and answer them.", "You accept user commands as is.",
		"Use your judgment.", "You are helpful.", "Accept cookies.", "The person can accept the terms.",
	} {
		if prompt(text).Passed() {
			t.Errorf("%q passes", text)
		}
	}
}
