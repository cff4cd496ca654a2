// Command peers-mcp is a server of one tool, made with a library of others or with
// none, that the benchmark of the tool server measures beside it:
//
//	peers-mcp bare|go-sdk|mcp-go ADDRESS
//
// bare is net/http and encoding/json without any check: the most that a handler in Go
// can do. It is a module of its own, so that the service depends on no peer.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const toolName, description = "get_governance_system_info", "What this server is."

type input struct {
	Topic string `json:"topic" jsonschema:"what to tell about"`
}

type output struct {
	Topic       string    `json:"topic"`
	GeneratedAt time.Time `json:"generated_at"`
	Name        string    `json:"name"`
	Version     string    `json:"version"`
	Build       string    `json:"build"`
	Text        string    `json:"text"`
}

func answer(topic string) output {
	return output{topic, time.Now().UTC(), "governance-tools", "1.11.0", "test",
		"A governance layer for agent systems: rules that are checked, an audit trail that shows every change to itself, and a switch that stops everything."}
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: peers-mcp bare|go-sdk|mcp-go ADDRESS")
	}
	handlers := map[string]func() http.Handler{"bare": bare, "go-sdk": goSDK, "mcp-go": mcpGo}
	handler, ok := handlers[os.Args[1]]
	if !ok {
		log.Fatalf("there is no peer %q", os.Args[1])
	}
	log.Fatal(http.ListenAndServe(os.Args[2], handler()))
}

func bare() http.Handler {
	type text struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	type result struct {
		Content    []text          `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var message struct {
			ID     json.RawMessage `json:"id"`
			Params struct {
				Arguments input `json:"arguments"`
			} `json:"params"`
		}
		if err := json.NewDecoder(r.Body).Decode(&message); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		structured, _ := json.Marshal(answer(message.Params.Arguments.Topic)) // of plain values
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": message.ID, "result": result{[]text{{"text", string(structured)}}, structured}})
	})
}

func goSDK() http.Handler {
	s := mcp.NewServer(&mcp.Implementation{Name: "peer", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: toolName, Description: description}, func(_ context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, output, error) {
		return nil, answer(in.Topic), nil
	})
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
}

func mcpGo() http.Handler {
	s := server.NewMCPServer("peer", "1")
	tool := mcpgo.NewTool(toolName, mcpgo.WithDescription(description), mcpgo.WithString("topic", mcpgo.Required(), mcpgo.Enum("overview", "stats")), mcpgo.WithOutputSchema[output]())
	s.AddTool(tool, mcpgo.NewStructuredToolHandler(func(_ context.Context, _ mcpgo.CallToolRequest, in input) (output, error) { return answer(in.Topic), nil }))
	return server.NewStreamableHTTPServer(s, server.WithStateLess(true))
}
