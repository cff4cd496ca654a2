package openai

import (
	"testing"

	"governance.internal/functions/toolserver/agent/endpoint"
	"governance.internal/functions/toolserver/agent/modeltest"
)

// Whatever a provider answers, nothing breaks, and what is taken can be sent back.
func FuzzParse(f *testing.F) {
	m := &Model{endpoint.Server{Name: modeltest.Model}}
	modeltest.Fuzz(f, "openai", parse, func(r modeltest.Conversation) any { return m.request(r) })
}
