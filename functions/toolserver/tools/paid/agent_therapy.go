package paid

import "governance.internal/functions/toolserver/mcp/tool"

type therapyInput struct {
	Text string `json:"text" required:"true" min:"1" max:"262144" doc:"A system prompt, a file of rules, a list of tools, or a transcript."`
	Kind string `json:"kind,omitempty" doc:"What the text is, if that is not plain."`
}

// AgentTherapy is the tool agent_therapy.
func AgentTherapy(p Products) *tool.Tool {
	return sell[therapyInput](p, "/x402/agent-therapy", tool.Tool{
		Name:        "agent_therapy",
		Title:       "Diagnose instructions",
		Description: "Finds contradictions and gaps in an agent's instructions, or bad patterns in a transcript, with a patch and a repair skill.",
	})
}
