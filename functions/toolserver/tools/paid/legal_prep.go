package paid

import "governance.internal/functions/toolserver/mcp/tool"

type legalInput struct {
	Mode string `json:"mode" required:"true" enum:"explain,doc_review,draft,questions" doc:"What to do with the text."`
	Text string `json:"text" required:"true" min:"1" max:"20000" doc:"The document; for draft, a few words about it."`
}

// LegalPrep is the tool legal_prep.
func LegalPrep(p Products) *tool.Tool {
	return sell[legalInput](p, "/x402/legal-prep", tool.Tool{
		Name:        "legal_prep",
		Title:       "Prepare a conversation with a lawyer",
		Description: "Explains, reviews or drafts a legal text, or lists questions about it. Assistance, not advice.",
	})
}
