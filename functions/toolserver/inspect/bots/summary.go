package bots

import (
	"regexp"
	"strings"

	"governance.internal/functions/toolserver/inspect/bots/code"
)

// summaryNames are the last names of calls that extract a summary.
var summaryNames = regexp.MustCompile(`(?i)summar(y|ies|i[sz]e|i[sz]ation|i[sz]er)|recap|synopsis|digest_?(session|conversation)|distill?_?(session|conversation)|extract_?(facts|insights|takeaways|notes|session|memor)`)

// notExtracting are names of calls that only handle a summary.
var notExtracting = regexp.MustCompile(`(?i)^(should|needs?|can|new|show|print|log|load|read|send|delete|remove|reset|clear|has|is|format|render|display|fetch|get_?(last|saved|stored|previous)|save|store|write|persist|set|update|on|handle)_?`)

// summaryText asks a model for a summary.
var summaryText = regexp.MustCompile(`(?i)\bsummar(i[sz]e|i[sz]ing|y|ies)\b|\bcondense\b|\brecap\b|key (points|facts|takeaways)|\bextract\b.{0,60}(facts|points|takeaways|decisions|session|conversation)`)

// sessionSummary judges whether a summary of the session is extracted by code that runs.
func (b *bot) sessionSummary() Verdict {
	defined := 0
	for _, call := range b.Calls() {
		if b.extractsSummary(call) {
			return pass(call.Line, "a summary of the session is extracted")
		}
	}

	b.Root.Walk(func(n *code.Node) bool {
		if n.Kind == code.Function && summaryNames.MatchString(functionName(n)) {
			defined = n.Line
		}
		return true
	})
	if defined > 0 {
		return fail(defined, "a summary is defined, but no code that runs calls it and extracts one")
	}
	return fail(0, "no code that runs extracts a summary of the session")
}

// functionName is what a function is known by.
func functionName(f *code.Node) string {
	if f.Func.Name == "" && f.Parent != nil && f.Parent.Kind == code.Assign {
		return f.Parent.Parts[0].Last()
	}
	return f.Func.Name
}

// extractsSummary reports whether a call extracts a summary.
func (b *bot) extractsSummary(call *code.Node) bool {
	if isLog(call) {
		return false
	}

	name := call.Callee().Last()
	local := b.Functions(name)
	if summaryNames.MatchString(name) && !notExtracting.MatchString(name) && !b.constructs(call) {
		return len(local) == 0 || b.worksOnSomething(local)
	}
	return !isSend(call) && !handles(call) && b.asksForSummary(call)
}

// summaryMemory is an object of a library that keeps a summary of a session itself.
var summaryMemory = regexp.MustCompile(`Summary(Buffer)?Memory$|SummarizationMiddleware$`)

// constructs reports whether a call only makes an object.
func (b *bot) constructs(call *code.Node) bool {
	name := call.Callee().Last()
	capital := name != "" && name[0] >= 'A' && name[0] <= 'Z'
	return (call.Text == "new" || capital && b.language != ".go") && !summaryMemory.MatchString(name)
}

// handles reports whether a call registers a command or a handler.
func handles(call *code.Node) bool {
	switch strings.ToLower(call.Callee().Last()) {
	case "command", "on", "hears", "handle", "add_handler", "handlefunc", "setmycommands", "set_my_commands",
		"startswith", "endswith", "hasprefix", "includes", "contains", "setname", "setdescription", "register",
		"addhandler", "commandhandler", "message", "event", "shortcut", "action", "match", "test", "get", "has":
		return true
	}

	return false
}

// asksForSummary reports whether an argument asks a model for a summary.
func (b *bot) asksForSummary(call *code.Node) bool {
	if len(b.Functions(call.Callee().Last())) > 0 && !modelCall.MatchString(call.Callee().Last()) {
		return false
	}

	if !modelCall.MatchString(call.Callee().Path()) {
		return false
	}

	for _, each := range call.Args() {
		if each.Kind != code.Function && b.says(each, summaryText) {
			return true
		}
	}

	return false
}

// worksOnSomething reports whether one of some functions does more than to return a constant:
// it calls something, takes a part or goes through a list.
func (b *bot) worksOnSomething(functions []*code.Node) bool {
	for _, f := range functions {
		if f.Live && works(f) {
			return true
		}
	}

	return false
}

func works(f *code.Node) bool {
	found := false
	f.Body().Walk(func(n *code.Node) bool {
		switch n.Kind {
		case code.Call:
			found = found || n.Live && !isLog(n) && !isSend(n) && !isPlain(n)
		case code.Loop:
			found = found || n.Live
		}
		return !found
	})
	return found
}

// isPlain reports whether a call neither reads nor asks anything.
func isPlain(call *code.Node) bool {
	switch call.Callee().Path() {
	case "Promise.resolve", "Promise", "Date", "Error", "errors.New", "fmt.Errorf", "time.Now", "Date.now", "asyncio.sleep", "setTimeout":
		return true
	}
	return false
}
