package openai

import (
	"testing"

	"governance.internal/functions/toolserver/agent/endpoint"
	"governance.internal/functions/toolserver/agent/modeltest"
)

// No answer of a provider causes a panic, and an accepted one can be sent back.
func FuzzParse(f *testing.F) {
	m := &Model{endpoint.Server{Name: modeltest.Model}}
	modeltest.Fuzz(f, "openai", parse, func(r modeltest.Conversation) any { return m.request(r) })
}
