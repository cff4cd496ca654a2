package config

import (
	"slices"
	"strings"
)

// LLM configures the model of the built-in agent.
type LLM struct {
	// LLM_API: wire format of the model, one of anthropic, openai and bedrock. Default:
	// none, so there is no such agent.
	API string
	// LLM_MODEL: name of that model.
	Model string
	// LLM_BASE_URL: address of a server that speaks the format, https:// or on this
	// machine. Default: the provider's own. The agent connects to no other host.
	BaseURL string
	// LLM_KEY: key for it. Bedrock needs none; it uses the role of the process.
	Key string
}

func loadLLM(get func(name, fallback string) string) LLM {
	return LLM{
		API:     get("LLM_API", ""),
		Model:   get("LLM_MODEL", ""),
		BaseURL: strings.TrimRight(get("LLM_BASE_URL", ""), "/"),
		Key:     get("LLM_KEY", ""),
	}
}

func (l LLM) check() []string {
	var bad []string
	if !slices.Contains([]string{"", "anthropic", "openai", "bedrock"}, l.API) {
		bad = append(bad, "LLM_API must be anthropic, openai or bedrock")
	}
	if l.BaseURL != "" && !isPrivate(l.BaseURL) {
		bad = append(bad, "LLM_BASE_URL must be an https:// address, or http:// on this machine")
	}
	return bad
}
