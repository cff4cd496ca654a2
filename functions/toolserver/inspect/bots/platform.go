package bots

import (
	"slices"
	"strings"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/inspect/bots/code"
)

// unknown is the platform that nothing tells.
const unknown = "unknown"

// platforms are known by a piece of their name, or of a module that speaks to them.
var platforms = []struct {
	name    string
	modules []string
}{
	{"telegram", []string{"telegraf", "grammy", "telegram", "aiogram", "telebot", "telethon", "pyrogram", "gotd", "gramjs", "puregram"}},
	{"discord", []string{"discord", "eris", "nextcord", "disnake", "arikawa", "hikari", "interactions"}},
	{"slack", []string{"slack"}},
	{"whatsapp", []string{"whatsapp", "baileys", "whatsmeow", "venom-bot", "wppconnect", "pywa", "heyoo"}},
	{"matrix", []string{"matrix", "nio", "mautrix"}},
}

// platformOf is what the workspace file says, or what the imports tell.
func platformOf(said string, p *code.Program) string {
	said = strings.ToLower(strings.TrimSpace(said))
	for _, each := range platforms {
		if strings.Contains(said, each.name) {
			return each.name
		}
	}

	if said != "" || p == nil {
		return orUnknown(said)
	}

	for _, each := range platforms {
		if imports(p, each.modules...) {
			return each.name
		}
	}

	if strings.Contains(p.Text, "graph.facebook.com") {
		return "whatsapp"
	}

	if strings.Contains(p.Text, "api.telegram.org") {
		return "telegram"
	}
	return unknown
}

func orUnknown(said string) string {
	if said == "" {
		return unknown
	}
	return said
}

// imports reports whether a program imports, or requires, a module with one of the names in
// its own.
func imports(p *code.Program, names ...string) bool {
	modules := slices.Clone(p.Imports)
	for _, call := range p.Calls() {
		if path := call.Callee().Path(); path == "require" || path == "import" {
			for _, each := range call.Args() {
				modules = append(modules, each.Text)
			}
		}
	}

	for _, module := range modules {
		for _, name := range names {
			if strings.Contains(strings.ToLower(module), name) {
				return true
			}
		}
	}

	return false
}

// notApplicable is why a standard is not for the platform of a bot, "" if it is.
func notApplicable(id string, b *bot) string {
	switch id {
	case ReadReceipt:
		if slices.Contains([]string{"telegram", "discord", "slack"}, b.platform) {
			return "a bot on " + b.platform + " can send no read receipts"
		}
	case TypingIndicator:
		if b.platform == "slack" {
			return "a bot on slack can show no typing indicator"
		}

		if b.platform == "whatsapp" && b.Program != nil && !showsTyping(b.Program) {
			return "the WhatsApp interface of this bot has no typing indicator that lasts"
		}
	}

	return ""
}

// showsTyping reports whether a program speaks to WhatsApp by a library that can show typing.
func showsTyping(p *code.Program) bool {
	return imports(p, "baileys", "whatsapp-web", "whatsmeow", "venom", "wppconnect")
}

// override judges a standard as the workspace file says. It reports false if the entry leaves
// the rule as it is.
func (b *bot) override(s workspace.Standard, text []byte, unread string) (Verdict, bool) {
	for _, each := range s.NA {
		if strings.EqualFold(strings.TrimSpace(each), b.platform) {
			return Verdict{
				NA:     true,
				Detail: "bots.standards says that it is not for " + b.platform,
			}, true
		}
	}

	if len(s.AnyOf) == 0 {
		return Verdict{}, false
	}

	source := string(text)
	if b.Program != nil && b.Program.Text != "" {
		source = b.Program.Text
	} else if unread != "" && text == nil {
		return fail(0, unread), true
	}

	for _, all := range s.AnyOf {
		if line := found(all.AllOf, source); line > 0 {
			return pass(line, "the patterns of bots.standards are there"), true
		}
	}

	return fail(0, "none of the patterns of bots.standards is in the code"), true
}

// found is the line of the first of the patterns, 0 if one of them is missing.
func found(patterns []workspace.Pattern, source string) int {
	first := 0
	for _, each := range patterns {
		at := each.FindStringIndex(source)
		if at == nil {
			return 0
		}

		if first == 0 {
			first = 1 + strings.Count(source[:at[0]], "\n")
		}
	}

	return first
}
