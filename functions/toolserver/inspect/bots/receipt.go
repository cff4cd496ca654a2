package bots

import (
	"regexp"

	"governance.internal/functions/toolserver/inspect/bots/code"
)

// receiptNames are the last names of calls that tell the sender that a message was read.
var receiptNames = regexp.MustCompile(`^(?i:read_?messages|send_?seen|send_?read_?receipts?|send_?read_?acknowledge|mark_?(chat_?|message_?)?(as_?)?(read|seen)|mark_?messages?_?(as_?)?read|room_?read_?markers|set_?read_?markers?|update_?receipt_?marker|send_?receipt|mark_?seen|mark_?chat_?unread_?false|send_?read|read_?message|chat_?read|set_?message_?read|acknowledge_?read)$`)

// receiptText is a receipt in a body that is written as a text.
var receiptText = regexp.MustCompile(`"status"\s*:\s*"read"|mark_seen|read_markers|/receipt/m\.read`)

// readReceipt judges whether the sender learns that a message was read.
func (b *bot) readReceipt() Verdict {
	for _, call := range b.Calls() {
		if b.sendsReceipt(call) {
			return pass(call.Line, "a read receipt is sent")
		}
	}
	if line := b.receiptBody(); line > 0 {
		return pass(line, "a read receipt is sent")
	}
	return fail(0, "no code that runs sends a read receipt")
}

// sendsReceipt reports whether a call of something outside of the program sends a receipt.
func (b *bot) sendsReceipt(call *code.Node) bool {
	name := call.Callee().Last()
	if isLog(call) || len(b.Functions(name)) > 0 {
		return false
	}
	return receiptNames.MatchString(name) || isSend(call) && b.says(call, receiptText)
}

// receiptBody is the line where a request with a receipt as its body is made, 0 for none.
func (b *bot) receiptBody() int {
	line := 0
	b.Root.Any(func(n *code.Node) bool {
		if n.Kind == code.Keyword && n.Live && isReceiptMember(n) && b.isRequested(n) {
			line = n.Line
		}
		return line > 0
	})
	return line
}

func isReceiptMember(n *code.Node) bool {
	value := n.Parts[0].Text
	switch n.Text {
	case "status", "Status":
		return value == "read"
	case "sender_action", "senderAction":
		return value == "mark_seen"
	case "markRead":
		return value == "true"
	}

	return false
}

// isRequested reports whether the function around a body makes a request, itself or by another
// function of the program.
func (b *bot) isRequested(n *code.Node) bool {
	scope := n.Enclosing(code.Function)
	if scope == nil {
		scope = b.Root
	}

	for call := n.Enclosing(code.Call); call != nil; call = call.Enclosing(code.Call) {
		if isLog(call) {
			return false
		}
	}

	return b.reaches(scope, 1, func(call *code.Node) bool {
		return isSend(call) && !isLog(call) || chatModify.MatchString(call.Callee().Last())
	})
}

var chatModify = regexp.MustCompile(`^(?i:chat_?modify|put|patch|api|call|request\w*|graph\w*)$`)
