package lint

import (
	"iter"
	"strings"
)

// maxEmbedding bounds JSON within strings of JSON. Each level at least doubles the backslashes
// of the one within, so a document of 64 KB holds few.
const maxEmbedding = 8

// embedded iterates over the named scalars of a JSON object or array in a string, as
// in OPENAPI_MCP_HEADERS or --config={...}, however deep they are, also in strings that are JSON
// again. Items of an array have the name of the array.
func embedded(text string) iter.Seq2[string, *node] {
	return func(yield func(string, *node) bool) {
		walkEmbedded(text, 0, yield)
	}
}

func walkEmbedded(text string, depth int, yield func(string, *node) bool) bool {
	root := parseEmbedded(text)
	if root == nil || depth >= maxEmbedding {
		return true
	}
	return walkScalars("", root, depth, yield)
}

// parseEmbedded parses text that is one JSON object or array, with or without single quotes
// around it. It returns nil for any other text.
func parseEmbedded(text string) *node {
	text = strings.TrimSpace(text)
	if len(text) > 1 && wrappedIn(text, "'", "'") {
		text = strings.TrimSpace(text[1 : len(text)-1])
	}

	if !wrappedIn(text, "{", "}") && !wrappedIn(text, "[", "]") {
		return nil
	}

	root, err := parse([]byte(text))
	if err != nil {
		return nil
	}

	return root
}

func walkScalars(name string, n *node, depth int, yield func(string, *node) bool) bool {
	switch n.kind {
	case object:
		for i, item := range n.items {
			if !walkScalars(n.keys[i], item, depth, yield) {
				return false
			}
		}
	case list:
		for _, item := range n.items {
			if !walkScalars(name, item, depth, yield) {
				return false
			}
		}
	case text:
		if parseEmbedded(n.text) != nil && depth+1 < maxEmbedding {
			return walkEmbedded(n.text, depth+1, yield)
		}
		return yield(name, n)
	case number, boolean:
		return yield(name, n)
	}

	return true
}

// isEmbedded reports whether a string is a JSON object or array.
func isEmbedded(text string) bool { return parseEmbedded(text) != nil }

// argumentJSON is the part of an argument that may be JSON: all of it, or what follows the
// equals sign of a flag.
func argumentJSON(argument string) string {
	if strings.HasPrefix(argument, "-") {
		_, value, _ := strings.Cut(argument, "=")
		return value
	}
	return argument
}
