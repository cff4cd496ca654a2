package sessions

import (
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"governance.internal/functions/toolserver/mcp/middleware"
	"governance.internal/functions/toolserver/mcp/stateless"
)

// Servers makes the SDK's servers, one for each choice of tools and transport, and
// keeps them: there are as many as there are choices of the toolsets.
type Servers struct {
	About        stateless.Server
	Instructions string
	Table        stateless.Table // whose Filter the choice of the session stands for
	Toolsets     []string        // that there are

	mu   sync.Mutex
	made map[string]*mcp.Server
}

// ForRequest is the server for what the opening request asks for. It fails for
// toolsets that do not exist.
func (s *Servers) ForRequest(r *http.Request) (*mcp.Server, error) {
	chosen, err := middleware.FilterOf(s.Toolsets, r.Header, r.URL.Query())
	if err != nil {
		return nil, err
	}
	return s.For(chosen, "sse"), nil
}

// For is the server of a choice of tools, for the clients of a transport.
func (s *Servers) For(chosen middleware.Filter, transport string) *mcp.Server {
	key := transport + " " + chosen.Key()

	s.mu.Lock()
	defer s.mu.Unlock()

	if server, ok := s.made[key]; ok {
		return server
	}

	table := stateless.Table{
		Tools:     chosen.Apply(s.Table.Tools),
		Resources: s.Table.Resources,
	}
	server := Server(s.About, s.Instructions, table, transport)

	if s.made == nil {
		s.made = map[string]*mcp.Server{}
	}

	s.made[key] = server
	return server
}
