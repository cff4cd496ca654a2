package conflict

import (
	"testing"

	"governance.internal/functions/agent-therapy/directive"
)

// Two lines alone, as somebody tries the service with.
var tried = []struct {
	a, b      string
	conflicts bool
}{
	{"Use tabs for indentation.", "Indent with two spaces.", true},
	{"Never push to main.", "Push your changes to main when you are done.", true},
	{"Always run the tests before you commit.", "Don't run the tests; CI does that.", true},
	{"Use npm.", "Use pnpm for all packages.", true},
	{"Answer in English.", "Always answer in German.", true},
	{"Ask before you delete a file.", "Delete files without asking.", true},
	{"Keep answers under 100 words.", "Write at least 500 words.", true},
	{"Never mention competitors.", "Compare our product with those of competitors.", true},
	{"Refunds need a manager's approval.", "Issue refunds automatically.", true},
	{"Commit often.", "Never commit secrets.", false},
	{"Use pytest for Python.", "Use vitest for TypeScript.", false},
	{"In production, never restart services.", "In staging, restart services freely.", false},
	{"Write tests.", "Write documentation.", false},
	{"Do not edit files in dist/.", "Edit files in src/.", false},
	{"Never load our styles on other pages.", "The badge is the only exception: its styles are loaded everywhere.", false},
}

func TestTwoLinesAlone(t *testing.T) {
	for _, c := range tried {
		d := read("AGENTS.md", "# Rules\n\n- "+c.a+"\n- "+c.b+"\n")
		found := Find(directive.Read(d))
		if (len(found) > 0) != c.conflicts {
			t.Errorf("%q and %q: %d conflicts", c.a, c.b, len(found))
		}
	}
}

// What the trees alone find says which words both lines share, and what sets them apart.
func TestWhyNamesWhatIsShared(t *testing.T) {
	code, difference := differenceOf(Likeness{unitsDiffer: 1})
	if code != "number" || difference != "they set different values" {
		t.Errorf("%s: %s", code, difference)
	}
	code, _ = differenceOf(Likeness{signsApart: 40})
	if code != "opposite" {
		t.Errorf("a pair with opposite signs is called %s", code)
	}
	unrelated := &saying{}
	if about := subjectOfBoth(unrelated, unrelated); about != "the same matter" {
		t.Errorf("a pair that shares no word is about %q", about)
	}
	code, _ = differenceOf(Likeness{})
	if code != "choice" {
		t.Errorf("a pair without a known difference is called %s", code)
	}
}

// A rule is not overruled because other lines stand around the two.
func TestTwoLinesAmongOthers(t *testing.T) {
	d := read("AGENTS.md", `# Shop agent

- Refunds need a manager's approval.
- Keep backups for 30 days.
- Answer customers in English.
- Tests live next to the code.

## Later notes

- Issue refunds automatically.
- Put the badge into the footer.
`)
	found := Find(directive.Read(d))
	if len(found) != 1 || found[0].Code != "approval" {
		t.Errorf("%d conflicts", len(found))
	}
}
