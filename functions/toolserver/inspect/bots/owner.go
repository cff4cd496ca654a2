package bots

import (
	"regexp"
	"slices"

	"governance.internal/functions/toolserver/inspect/bots/code"
)

// ownerName is the name of who the bot belongs to.
var ownerName = regexp.MustCompile(`(?i)owner|admin|operator|master|\bboss|creator|allow(ed)?_?(list|users?|ids?|numbers?|senders?|chats?)|allowed$|authori[sz]ed|permitted|trusted|whitelist|superuser|sudo|my_?(user_?|chat_?)?id$|primary_?user|verified_?user|guardian|principal`)

// senderName is a name by which the sender of a message is known. What others can choose, such
// as a display name or the text itself, is none.
var senderName = regexp.MustCompile(`(?i)^(id|_?user_?id|uid|from|from_?id|sender(_?id|_?jid)?|author(_?id)?|user|member|jid|remote_?jid|participant|number|phone(_?number)?|wa_?id|chat_?id|peer_?id|client_?id|effective_user|username|user_?name|.*_?(user|sender|author|from)_?id|whoami|who|mxid|sender_id|caller)$`)

// loose are names that anybody can choose.
var loose = regexp.MustCompile(`(?i)^(text|content|body|message_text|display_?name|first_?name|full_?name|last_?name|nick(name)?|push_?name|profile_?name|caption)$`)

// looseMember is a member that anybody can choose, wherever in a path it stands.
var looseMember = regexp.MustCompile(`(?i)^(display_?name|first_?name|full_?name|last_?name|nick(name)?|push_?name|profile_?name|caption)$`)

// ownerChecks are calls of libraries that compare the sender with the owner.
var ownerChecks = regexp.MustCompile(`^(?i:is_?owner|is_?(bot_?)?admin|is_?(verified_?)?owner|verify_?owner|check_?owner|require_?owner|owner_?only|only_?owner|is_?authori[sz]ed|whitelist|restrict|lookup_?owner|find_?owner|get_?(verified_?)?owner)$`)

// ownerVerification judges whether the sender is compared with the owner, and something
// follows from that.
func (b *bot) ownerVerification() Verdict {
	for _, n := range b.ownerComparisons() {
		if b.matters(n, 0) {
			return pass(n.Line, "the sender is compared with the owner")
		}
	}

	for _, call := range b.Calls() {
		if b.looksUpOwner(call) && b.matters(call, 0) {
			return pass(call.Line, "the owner is looked up by the sender")
		}
	}

	return b.noOwner()
}

func (b *bot) noOwner() Verdict {
	for _, n := range b.ownerComparisons() {
		return fail(n.Line, "the sender is compared with the owner, but nothing follows from it")
	}

	line := 0
	b.Root.Any(func(n *code.Node) bool {
		if n.Live && n.IsName() && ownerName.MatchString(n.Text) {
			line = n.Line
		}
		return line > 0
	})
	if line > 0 {
		return fail(line, "an owner is named, but no code that runs compares the sender with it")
	}
	return fail(0, "no code that runs compares the sender with an owner")
}

// comparers are calls that compare two values, or look for one in others.
var comparers = regexp.MustCompile(`^(?i:includes|has|contains|indexOf|get|equals|EqualFold|ConstantTimeCompare|timingSafeEqual|compare_digest|compare|is_?equal|some|find|any|ContainsFunc|Index|Compare|user|chat|Whitelist|Allowed|__contains__|localeCompare|exists|startsWith)$`)

// ownerComparisons are the live places where the owner and the sender meet.
func (b *bot) ownerComparisons() []*code.Node {
	var list []*code.Node
	b.Root.Walk(func(n *code.Node) bool {
		if n.Live && b.comparesOwner(n) {
			list = append(list, n)
		}
		return true
	})
	return list
}

func (b *bot) comparesOwner(n *code.Node) bool {
	switch n.Kind {
	case code.Binary:
		return equalities[n.Text] && b.meet(n.Parts[0], n.Parts[1])
	case code.Index:
		return b.indexCompares(n)
	case code.Call:
		return comparers.MatchString(n.Callee().Last()) && b.callCompares(n)
	case code.Other:
		return n.Text == "case" && b.caseCompares(n)
	}
	return false
}

// indexCompares reports whether the sender is looked up among the owners.
func (b *bot) indexCompares(n *code.Node) bool {
	if len(n.Parts) != 2 {
		return false
	}
	return b.isOwner(n.Parts[0], 0) && b.isSender(n.Parts[1], 0)
}

// equalities are the operators that compare two values, or look for one in others.
var equalities = map[string]bool{
	"==":     true,
	"===":    true,
	"!=":     true,
	"!==":    true,
	"in":     true,
	"not in": true,
}

// caseCompares reports whether a case of a switch compares the owner with the sender.
func (b *bot) caseCompares(n *code.Node) bool {
	if len(n.Parts) < 2 {
		return false
	}

	around := n.Parent
	for around != nil && around.Text != "switch" {
		around = around.Parent
	}
	return around != nil && len(around.Parts) > 0 && b.meet(around.Parts[0], n.Parts[0])
}

// meet reports whether one side is the owner and the other the sender.
func (b *bot) meet(left, right *code.Node) bool {
	return b.isOwner(left, 0) && b.isSender(right, 0) || b.isOwner(right, 0) && b.isSender(left, 0)
}

// callCompares reports whether what is called on, and the arguments, hold owner and sender.
func (b *bot) callCompares(call *code.Node) bool {
	sides := slices.Clone(call.Args())
	if callee := call.Callee(); callee.Kind == code.Member {
		sides = append(sides, callee.Parts[0])
	}

	if filter := call.Callee().Path(); filter == "filters.User" || filter == "filters.Chat" || call.Callee().Last() == "Whitelist" {
		return slices.ContainsFunc(call.Args(), func(n *code.Node) bool { return b.isOwner(n, 0) })
	}

	for i, one := range sides {
		for _, other := range sides[i+1:] {
			if b.meet(one, other) {
				return true
			}
		}
	}

	return searches.MatchString(call.Callee().Last()) && b.searchCompares(call)
}

// searches are calls that look for one of many by a function.
var searches = regexp.MustCompile(`^(?i:some|find|any|every|filter|ContainsFunc|IndexFunc|findIndex)$`)

// searchCompares reports whether a search through owners compares each with the sender.
func (b *bot) searchCompares(call *code.Node) bool {
	owner := b.isOwner(call.Callee(), 0)
	sender := false
	call.Walk(func(n *code.Node) bool {
		if n.Kind == code.Name && ownerName.MatchString(n.Text) {
			owner = true
		}

		if n.Kind == code.Binary && (b.isSender(n.Parts[0], 0) || b.isSender(n.Parts[1], 0)) {
			sender = true
		}
		return true
	})
	return owner && sender
}

// isOwner reports whether an expression holds who the owner is.
func (b *bot) isOwner(n *code.Node, depth int) bool {
	if depth > maxFollowed {
		return false
	}

	found := false
	n.Walk(func(each *code.Node) bool {
		switch {
		case each.Kind == code.Function:
			return false
		case each.Kind == code.String:
			found = found || namesOwner(each.Text)
		case each.IsName():
			found = found || ownerName.MatchString(each.Text) || b.holdsOwner(each, depth)
		}
		return !found
	})
	return found
}

// longestName is the longest text that is the name of a setting.
const longestName = 40

// namesOwner reports whether a text is the name of a setting that holds the owner.
func namesOwner(text string) bool {
	return len(text) < longestName && ownerName.MatchString(text)
}

// holdsOwner reports whether the owner is assigned to a name.
func (b *bot) holdsOwner(n *code.Node, depth int) bool {
	if senderName.MatchString(n.Text) || n.Kind == code.Name && n.IsParam() && !ownerName.MatchString(n.Text) {
		return false
	}
	return slices.ContainsFunc(b.Values(n.Text), func(value *code.Node) bool {
		return value.Kind != code.Function && value.Kind != code.Object && b.isOwner(value, depth+1)
	})
}

// isSender reports whether an expression holds who sent a message.
func (b *bot) isSender(n *code.Node, depth int) bool {
	if depth > maxFollowed || isLiteral(n) || loose.MatchString(n.Last()) {
		return false
	}

	found := false
	chosen := false
	n.Walk(func(each *code.Node) bool {
		key := keyOf(each)
		chosen = chosen || looseMember.MatchString(key)
		found = found || b.namesSender(each, key, depth)
		return each.Kind != code.Function
	})
	return found && !chosen
}

// namesSender reports whether a key is one by which senders are known, or holds one.
func (b *bot) namesSender(n *code.Node, key string, depth int) bool {
	if senderName.MatchString(key) && !isOwnMember(n) {
		return true
	}
	return b.holdsSender(n, depth)
}

func isLiteral(n *code.Node) bool {
	return n.Kind == code.String || n.Kind == code.Number
}

// keyOf is the name of a name or a member, and the key of an index.
func keyOf(n *code.Node) string {
	if n.IsName() {
		return n.Text
	}
	if n.Kind == code.Index && len(n.Parts) == 2 && n.Parts[1].Kind == code.String {
		return n.Parts[1].Text
	}
	return ""
}

// isOwnMember reports whether a member belongs to the owner, as in owner.id.
func isOwnMember(n *code.Node) bool {
	return n.Kind == code.Member && ownerName.MatchString(n.Parts[0].Last())
}

func (b *bot) holdsSender(n *code.Node, depth int) bool {
	if n.Kind != code.Name || ownerName.MatchString(n.Text) {
		return false
	}
	return slices.ContainsFunc(b.Values(n.Text), func(value *code.Node) bool {
		return value.Kind != code.Function && value.Kind != code.Object && b.isSender(value, depth+1)
	})
}

// looksUpOwner reports whether a call of something outside of the program looks up the owner
// by the sender.
func (b *bot) looksUpOwner(call *code.Node) bool {
	callee := call.Callee()
	if len(b.Functions(callee.Last())) > 0 || isLog(call) || isSend(call) {
		return false
	}

	named := ownerChecks.MatchString(callee.Last())
	if isDecorator(call) {
		return named
	}
	if !named && !isOwnerQuery(call) {
		return false
	}
	return slices.ContainsFunc(call.Args(), b.isAboutSender)
}

// isDecorator reports whether a call decorates a function.
func isDecorator(call *code.Node) bool {
	f := call.Parent
	return f != nil && f.Kind == code.Function && f.Body() != call
}

// isOwnerQuery reports whether a call looks something up, and is about owners.
func isOwnerQuery(call *code.Node) bool {
	if !lookups.MatchString(call.Callee().Last()) {
		return false
	}
	return ownerName.MatchString(call.Callee().Path()) || slices.ContainsFunc(call.Args(), func(n *code.Node) bool {
		return n.Kind == code.String && ownerName.MatchString(n.Text)
	})
}

// isAboutSender reports whether an argument is the sender, holds it, or is a whole message.
func (b *bot) isAboutSender(n *code.Node) bool {
	if n.Kind == code.Object {
		return b.holdsSenders(n)
	}
	whole := n.Kind == code.Name && contextName.MatchString(n.Text)
	return whole || b.isSender(n, 0)
}

// holdsSenders reports whether a member of an object is the sender.
func (b *bot) holdsSenders(object *code.Node) bool {
	return slices.ContainsFunc(object.Parts, func(n *code.Node) bool {
		return n.Kind == code.Keyword && b.isSender(n.Parts[0], 0)
	})
}

var (
	lookups     = regexp.MustCompile(`(?i)find|get|lookup|select|query|has|is|verify|check|fetch|first|exists|load|resolve|identify|match|all|one|execute`)
	contextName = regexp.MustCompile(`(?i)^(ctx|context|msg|message|m|update|event|interaction|c|evt)$`)
)

// matters reports whether something depends on the value of an expression.
func (b *bot) matters(n *code.Node, depth int) bool {
	if depth > 2*maxFollowed || n.Parent == nil {
		return false
	}
	if n.Kind == code.Other && n.Text == "case" {
		return doesSomething(n.Parts[len(n.Parts)-1])
	}

	switch n.Parent.Kind {
	case code.Call:
		return b.mattersToCall(n.Parent, n, depth)
	case code.Exit:
		return b.returned(n.Parent, depth)
	case code.Assign:
		return b.assignedMatters(n.Parent, depth)
	}
	return b.mattersTo(n.Parent, n, depth)
}

// mattersTo reports whether something depends on a part of a condition or an expression.
func (b *bot) mattersTo(parent, n *code.Node, depth int) bool {
	switch parent.Kind {
	case code.If, code.Loop:
		return decides(parent, n)
	case code.Function:
		return true // a decorator, or the default of a parameter
	case code.Block, code.Class:
		return false
	}

	first := parent.Parts[0] == n
	if first && (parent.Kind == code.Choice || parent.Text == "switch" || guards(parent, n)) {
		return true
	}
	return b.matters(parent, depth+1)
}

// guards reports whether a node is the left side of a statement as in a && b().
func guards(both, n *code.Node) bool {
	if both.Kind != code.Binary || both.Parent.Kind != code.Block {
		return false
	}
	if both.Parts[0] != n || both.Parts[1].Kind != code.Call {
		return false
	}

	switch both.Text {
	case "&&", "and", "||", "or":
		return !isLog(both.Parts[1])
	}
	return false
}

// assignedMatters reports whether a use of what is assigned matters.
func (b *bot) assignedMatters(assign *code.Node, depth int) bool {
	target := assign.Parts[0]
	if target.Kind != code.List && target.Kind != code.Object {
		return b.readLater(target.Last(), assign, depth)
	}
	return slices.ContainsFunc(target.Parts, func(n *code.Node) bool {
		return b.readLater(n.Last(), assign, depth)
	})
}

// decides reports whether a node is the condition of a branch that does something.
func decides(branch, n *code.Node) bool {
	if branch.Parts[0] != n || len(branch.Parts) < 2 {
		return false
	}

	for _, each := range branch.Parts[1:] {
		if doesSomething(each) {
			return true
		}
	}

	return false
}

// doesSomething reports whether a block does more than to write logs.
func doesSomething(block *code.Node) bool {
	if block.Kind != code.Block {
		return true
	}
	return slices.ContainsFunc(block.Parts, func(n *code.Node) bool {
		call := n
		for call.Kind == code.Unary {
			call = call.Parts[0]
		}
		return n.Live && !(call.Kind == code.Call && isLog(call)) && n.Kind != code.Name && n.Kind != code.String && n.Kind != code.Other
	})
}

// mattersToCall reports whether an argument, or what is called on, matters.
func (b *bot) mattersToCall(call, n *code.Node, depth int) bool {
	if isLog(call) {
		return false
	}
	if isDecorator(call) {
		return true
	}
	if call.Callee() == n {
		return call.Parent.Kind != code.Block && b.matters(call, depth+1)
	}
	if isSend(call) {
		return false
	}

	switch call.Parent.Kind {
	case code.Block, code.Call:
		return true // a filter that is handed to a framework
	}
	return b.matters(call, depth+1)
}

// returned reports whether the callers of a function use what it returns.
func (b *bot) returned(exit *code.Node, depth int) bool {
	f := exit.Enclosing(code.Function)
	if exit.Text == "throw" {
		return true
	}
	if f == nil || !f.Live || exit.Text != "return" {
		return false
	}
	if name := functionName(f); name != "" {
		return b.readLater(name, nil, depth)
	}

	switch f.Parent.Kind {
	case code.Call, code.Keyword, code.List:
		return true // who is handed the function uses it
	}
	return false
}

// readLater reports whether a live use of a name matters.
func (b *bot) readLater(name string, assigned *code.Node, depth int) bool {
	return b.Root.Any(func(n *code.Node) bool {
		if !isUse(n, name) || assigned != nil && n.Within(assigned) {
			return false
		}
		return b.used(n, depth)
	})
}

// isUse reports whether a node is a live use of a name.
func isUse(n *code.Node, name string) bool {
	return n.Live && n.IsName() && n.Text == name && !isTarget(n)
}

// used reports whether the use of a name matters. The name of a function is used by its calls.
func (b *bot) used(n *code.Node, depth int) bool {
	if n.Parent.Kind == code.Call && n.Parent.Callee() == n {
		return b.matters(n.Parent, depth+1)
	}
	return b.matters(n, depth+1)
}

// isTarget reports whether a value is assigned to a node.
func isTarget(n *code.Node) bool {
	return n.Parent.Kind == code.Assign && n.Parent.Parts[0] == n
}
