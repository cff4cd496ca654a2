package boundary

import (
	"fmt"
	"strings"

	"governance.internal/functions/agent-therapy/document"
)

// power is a kind of tool whose use has effects that cannot be taken back.
type power struct {
	name  string
	named []string // how texts give it
}

var powers = []power{
	{"shell", []string{"shell tool", "bash tool", "shell access", "terminal tool", "run_command", "execute_command", "`bash`", "run any command", "run shell commands", "access to a shell", "access to the shell", "access to a terminal", "shell_exec", "run_shell"}},
	{"payment", []string{"pay_invoice", "payment tool", "pay invoices", "make payments", "transfer money", "send_payment", "issue_refund", "refund tool", "make_payment", "transfer_funds", "charge_card"}},
	{"database", []string{"sql tool", "run_sql", "execute_sql", "change the database", "write to the database", "access to the database", "query and change", "run sql"}},
	{"mail", []string{"send_email", "send_mail", "mail tool", "email tool", "e-mail tool", "send e-mails", "send emails", "send_message"}},
	{"deletion", []string{"delete_file", "delete tool", "delete_record", "drop_table", "remove_file", "delete_user"}},
	{"deployment", []string{"deploy tool", "deploy_", "kubectl", "terraform apply", "production access", "access to production"}},
	{"browser", []string{"browser tool", "control the browser", "computer use", "computer_use"}},
}

// bounds are words that say how far a tool may go.
var bounds = []string{
	"only", "never", "must not", "do not", "don't", "may not", "at most", "up to ", "limit", "except", "unless", "read-only", "allowed", "approval", "approve", "confirm", "ask before", "ask first", "inside the", "within", "sandbox", "no more than", "forbidden", "not be used", "maximum", "below", "restricted",
}

// tools returns a gap for each powerful tool without bounds.
func (t *text) tools() []Gap {
	if t.Kind == document.Tools {
		return t.listed()
	}

	var gaps []Gap
	for _, p := range powers {
		if gap, open := t.unlimited(p); open {
			gaps = append(gaps, gap)
			break // one gap of a code is enough to act on
		}
	}
	return gaps
}

// unlimited judges one kind of tool in a text.
func (t *text) unlimited(p power) (Gap, bool) {
	given := -1
	for i, lower := range t.sentences {
		isNext := given >= 0 && i == given+1
		isAbout := isNext || p.isNamed(lower)
		if isAbout && contains(lower, bounds) {
			return Gap{}, false
		}
		if given < 0 && contains(lower, p.named) {
			given = i
		}
	}
	if given < 0 {
		return Gap{}, false
	}

	s := t.Statements[given]
	q := t.Quote(s.Start, s.End, s.Start)
	return unlimitedGap(t.Name, q.Line, q.Quote, "the "+p.name+" tool"), true
}

// isNamed reports whether a sentence is about the tool.
func (p power) isNamed(lower string) bool {
	return strings.Contains(lower, p.name) || contains(lower, p.named)
}

func unlimitedGap(file string, line int, quote, tool string) Gap {
	return Gap{
		Code:   Unlimited,
		File:   file,
		Line:   line,
		Quote:  quote,
		Why:    fmt.Sprintf("Nothing limits what %s may be used for.", tool),
		Repair: fmt.Sprintf("Use %s "+onlyForTheTask, tool),
	}
}

// risky are words of names of tools with effects.
var risky = []string{"exec", "shell", "bash", "run_command", "delete", "drop", "pay", "transfer", "refund", "send", "sql", "deploy", "write", "remove", "purchase", "publish"}

// listed judges the tools of a list by their descriptions.
func (t *text) listed() []Gap {
	gaps := []Gap{}
	for _, tool := range t.Tools {
		if !contains(strings.ToLower(tool.Name), risky) || contains(plain(tool.Description), bounds) {
			continue
		}
		gaps = append(gaps, unlimitedGap(t.Name, t.Line(tool.At), tool.Name, "tool "+tool.Name))
	}
	return gaps
}

// onlyForTheTask limits a tool.
const onlyForTheTask = "only for the task at hand, and never without approval for what cannot be undone."

// IsLimit reports whether a sentence is what a gap of a tool is closed with.
func IsLimit(sentence string) bool { return strings.HasSuffix(sentence, onlyForTheTask) }
