package bots

import (
	"regexp"
	"strings"

	"governance.internal/functions/toolserver/inspect/bots/code"
)

// acceptancePhrases say that people are accepted as they are.
var acceptancePhrases = []*regexp.Regexp{
	regexp.MustCompile(`\baccept(s|ed|ing|ance)?\b[^.!?;]{0,90}\b(as (they|you|he|she|it|people|we|i)( truly| really)? (are|is|come|comes|am|may be)|as[- ]is|unconditional\w*|without (any )?(judg\w*|condition\w*|blame|shame|reserv\w*)|non-?judg\w*|just as|exactly as|who(ever)?\b|person|people|users?|human|humans|everyone|everybody|anyone|feelings?|emotions?|them|him|her|you|themselves|yourself|mistakes?|others|one another|each other|reality|whatever)\b`),
	regexp.MustCompile(`\b(unconditional|radical|self|full|fully|total|complete|warm|gentle|calm|deep|mutual|compassionate)\w*[- ]+accept(s|ed|ing|ance)?\b`),
	regexp.MustCompile(`\bacceptance\b[^.!?;]{0,30}\b(philosophy|first|guides?|before|means|comes|over|matters)\b|\bphilosophy\b[^.!?;]{0,40}\baccept`),
	regexp.MustCompile(`\b(practi[sc]e|embody|lead with|begin with|start from|offer|show|radiate|from a place of|with|in) acceptance\b`),
	regexp.MustCompile(`\b(without|no|never|not|don't|do not|free of|withhold|suspend|zero)\W+(\w+\W+){0,2}judg(e|es|ing|ment|ement|mental)?\b|\bnon-?judg(e)?mental\b|\bjudg(e)?ment-free\b`),
	regexp.MustCompile(`\bmeet (people|them|users?|everyone|the users?|each person|every person|you|the person|humans?) (exactly |right )?where (they|you|the user|he|she)('re| are| is)\b`),
	regexp.MustCompile(`\bunconditional (positive )?regard\b`),
	regexp.MustCompile(`\b(is|are|be|feel|feels)( \w+){0,2} accepted\b`),
	regexp.MustCompile(`\b(welcome|embrace|love|receive|respect|honou?r|value|take|see)\w*\b[^.!?;]{0,60}\b(as|for who) (they|you|he|she|people|we)( truly| really)? (are|is)\b`),
	regexp.MustCompile(`\b(all|every|any|each|their) (feelings?|emotions?)( \w+){0,2} (are|is) (valid|welcome|okay|ok|allowed)\b`),
	regexp.MustCompile(`\b(philosophy|attitude|spirit|stance|approach|place|practice|foundation|principle) of (\w+ )?acceptance\b|\bacceptance of (who|what|people|the person|every|all|others|each|them|you)`),
	regexp.MustCompile(`\b(be|are|is|stay|remain|always)( \w+){0,3} accepting\b|\baccepting( \w+)? (presence|tone|stance|attitude|space|listener|companion|friend|guide|voice)\b`),
	regexp.MustCompile(`\b(akzeptier|accepteer|acept|accett|accepte)\w*\b[^.!?;]{0,60}\b(so wie|wie (er|sie|du)|zoals|tal como|como (es|eres|son)|tel(le)?s? qu|comme|così com|senza giud|ohne|zonder oordeel|sin juzgar|sans jug)`),
	regexp.MustCompile(`\baccept (what|every (feeling|person|emotion|human)|all (feelings|people|emotions|humans)|each (person|other|human))`),
}

// refusals say the contrary, or something else.
var refusals = regexp.MustCompile(`\b(do not|don't|never|cannot|can't|must not|should not|refuse to|won't|not)( \w+)? accept(s|ed|ing)?\b[^.!?;]*|\bacceptance (criteria|criterion|tests?|rate|letter|of (the )?(terms|payments?|orders?))[^.!?;]*|\baccept(s|ed|ing)? (\w+ ){0,2}(terms|cookies|payments?|orders?|invitations?|requests?|conditions|files?|only|inputs?|commands?|calls?|messages|questions|arguments|parameters|json|images?|uploads?|bookings?)\b[^.!?;]*`)

// accepts reports whether a text says that people are accepted.
func accepts(text string) bool {
	plain := strings.Join(strings.Fields(strings.ToLower(strings.ReplaceAll(text, "’", "'"))), " ")
	plain = refusals.ReplaceAllString(plain, " ")
	for _, each := range acceptancePhrases {
		if each.MatchString(plain) {
			return true
		}
	}

	return false
}

// promptName is the name of what a model is told.
var promptName = regexp.MustCompile(`(?i)prompt|system|instruction|persona|preamble|philosophy|character|\bsoul|guideline|messages?$|content$|input$|context$|developer|role|identity|backstory|behaviou?r|personality|values|ethos|contents$|history$|principle|manifesto|bio$`)

// modelCall is the path of a call that asks a model.
var modelCall = regexp.MustCompile(`(?i)\b(llm|model|ai|openai|anthropic|claude|gpt|gemini|genai|mistral|ollama|groq|cohere|chat|completions?|messages|responses|agent|assistant|chain|client|bedrock|together|deepseek)\b|ask|complete|generate|prompt|invoke|infer|converse|create|SystemMessage|chat|llm|model|think|fetch|post|request|query|answer|respond|reply|run`)

// acceptance judges whether a prompt that is used says that people are accepted.
func (b *bot) acceptance() Verdict {
	seen := 0
	for _, n := range b.accepting() {
		if b.toModel(n, false, map[*code.Node]bool{}) {
			return pass(n.Line, "a prompt that is used says that people are accepted")
		}

		seen = n.Line
	}

	if seen > 0 {
		return fail(seen, "a text says that people are accepted, but no prompt that is used holds it")
	}
	return fail(0, "no prompt says that people are accepted as they are")
}

// accepting are the texts that say it, with texts that are joined to them.
func (b *bot) accepting() []*code.Node {
	var list []*code.Node
	b.Root.Walk(func(n *code.Node) bool {
		switch n.Kind {
		case code.String:
			if accepts(n.Text) {
				list = append(list, n)
			}
		case code.Binary, code.List:
			if text, plain := joined(n); plain && accepts(text) {
				list = append(list, n)
			}
		}
		return true
	})
	return list
}

// joined is the text of texts that are added or listed, if there is nothing else.
func joined(n *code.Node) (text string, plain bool) {
	switch n.Kind {
	case code.String:
		return n.Text, true
	case code.Binary, code.List:
		if n.Kind == code.Binary && n.Text != "+" {
			return "", false
		}

		for _, each := range n.Parts {
			part, ok := joined(each)
			if !ok {
				part = " "
			}

			text += part + " "
		}
		return text, true
	}

	return "", false
}

// toModel reports whether a value reaches a model. Named tells whether a name on its way said
// that it is for one.
func (b *bot) toModel(n *code.Node, named bool, seen map[*code.Node]bool) bool {
	if seen[n] || n.Parent == nil {
		return false
	}
	seen[n] = true

	parent := n.Parent
	switch parent.Kind {
	case code.Call:
		return b.callToModel(parent, n, named, seen)
	case code.Keyword:
		return b.memberReaches(parent, named, seen)
	case code.Assign:
		return b.assignedReaches(parent, named, seen)
	case code.Param:
		return b.usesReach(parent.Text, parent, named, seen)
	case code.Exit:
		return b.returnReaches(parent, named, seen)
	}
	return passes(parent) && b.toModel(parent, named, seen)
}

// passes reports whether the value of a part becomes the value of the whole.
func passes(whole *code.Node) bool {
	switch whole.Kind {
	case code.If, code.Loop, code.Block, code.Function:
		return false
	case code.Member:
		return whole.Parent.Kind == code.Call && whole.Parent.Callee() == whole
	}
	return true
}

// memberReaches reports whether an object with a member, or a use of the member by its name,
// reaches a model.
func (b *bot) memberReaches(member *code.Node, named bool, seen map[*code.Node]bool) bool {
	named = named || promptName.MatchString(member.Text)
	if b.toModel(member, named, seen) {
		return true
	}
	return !plainKey[member.Text] && b.usesReach(member.Text, member, named, seen)
}

// plainKey are members that so many objects have that their name tells nothing.
var plainKey = map[string]bool{
	"content": true,
	"text":    true,
	"body":    true,
	"message": true,
	"value":   true,
	"data":    true,
	"input":   true,
	"Content": true,
	"Text":    true,
}

func (b *bot) assignedReaches(assign *code.Node, named bool, seen map[*code.Node]bool) bool {
	target := assign.Parts[0]
	named = named || promptName.MatchString(target.Last())
	if target.Path() == "module.exports" || strings.HasPrefix(target.Path(), "exports.") {
		return named
	}

	if target.Kind != code.List && target.Kind != code.Object {
		return b.usesReach(target.Last(), assign, named, seen)
	}

	for _, each := range target.Parts {
		if b.usesReach(each.Last(), assign, named, seen) {
			return true
		}
	}

	return false
}

// usesReach reports whether a live use of a name reaches a model.
func (b *bot) usesReach(name string, from *code.Node, named bool, seen map[*code.Node]bool) bool {
	named = named || promptName.MatchString(name)
	return b.Root.Any(func(n *code.Node) bool {
		isName := n.IsName() || n.Kind == code.Index
		if !isName || !n.Live || n.Last() != name || isTarget(n) {
			return false
		}
		return !n.Within(from) && b.toModel(n, named, seen)
	})
}

// returnReaches reports whether what a function returns reaches a model.
func (b *bot) returnReaches(exit *code.Node, named bool, seen map[*code.Node]bool) bool {
	f := exit.Enclosing(code.Function)
	if f == nil || exit.Text != "return" {
		return false
	}

	name := functionName(f)

	if name == "" {
		return b.toModel(f, named, seen)
	}

	if !f.Live {
		return false
	}

	named = named || promptName.MatchString(name)
	for _, call := range b.Calls() {
		if call.Callee().Last() == name && b.toModel(call, named, seen) {
			return true
		}
	}

	return b.usesReach(name, f, named, seen)
}

// joiners are calls that make one text of others, or keep one.
var joiners = regexp.MustCompile(`^(?i:join|dedent|strip|trim\w*|format|sprintf|replace\w*|concat|cleandoc|append|push|unshift|extend|insert|add|write\w*|raw|string|str|f|template|stringify|marshal|dumps|render|compile|partial|freeze|tuple|list|set)$`)

// callToModel reports whether the argument of a call, or what it is called on, reaches a model.
func (b *bot) callToModel(call, n *code.Node, named bool, seen map[*code.Node]bool) bool {
	if isLog(call) || neverRuns(call) {
		return false
	}

	last := call.Callee().Last()
	switch {
	case call.Callee() == n:
		return b.toModel(call, named, seen)
	case joiners.MatchString(last):
		return b.joinedReaches(call, named, seen)
	case toChat(call):
		return false
	}

	own := b.Functions(last)
	if len(own) == 0 {
		return asksModel(call, named) || b.toModel(call, named, seen)
	}
	return named || b.paramReaches(own, call, n, named, seen)
}

// neverRuns reports whether a call stands in a function that does not run.
func neverRuns(call *code.Node) bool {
	return !call.Live && call.Enclosing(code.Function) != nil
}

// toChat reports whether a call sends a message to the chat, and asks no model.
func toChat(call *code.Node) bool {
	if !isSend(call) || requestNames.MatchString(call.Callee().Last()) {
		return false
	}
	return !modelName.MatchString(call.Callee().Path())
}

// asksModel reports whether a live call asks a model. A value that a name says is for one is
// handed to any call.
func asksModel(call *code.Node, named bool) bool {
	return call.Live && (named || modelCall.MatchString(call.Callee().Path()))
}

// joinedReaches reports whether a text that a call makes, or adds to, reaches a model.
func (b *bot) joinedReaches(call *code.Node, named bool, seen map[*code.Node]bool) bool {
	callee := call.Callee()
	if callee.Kind == code.Member && b.usesReach(callee.Parts[0].Last(), call, named, seen) {
		return true
	}
	return b.toModel(call, named, seen)
}

var requestNames = regexp.MustCompile(`^(?i:fetch|post|request|axios|do|urlopen)$`)

// modelName is the path of a call that is made on a model, although its name could be that of a
// call which sends a message.
var modelName = regexp.MustCompile(`(?i)llm|model|openai|anthropic|claude|gpt|gemini|completions|messages\.create|responses`)

// paramReaches reports whether the parameter that takes an argument reaches a model.
func (b *bot) paramReaches(functions []*code.Node, call, n *code.Node, named bool, seen map[*code.Node]bool) bool {
	for _, f := range functions {
		for i, each := range call.Args() {
			if each == n && i < len(f.Func.Params) && b.usesReach(f.Func.Params[i].Text, f.Func.Params[i], named, seen) {
				return true
			}
		}
	}

	return false
}
