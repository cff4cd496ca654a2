package server

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/functions/toolserver/routes/access"
	"governance.internal/functions/toolserver/tools"
	"governance.internal/functions/toolserver/tools/core"
)

// selfCheck are the probes of the tool self_check.
func (s *Server) selfCheck() core.SelfDeps {
	return core.SelfDeps{
		Now: s.deps.Now,
		Probes: []core.Probe{
			{Name: "versions", Against: core.RunningServer, Run: s.probeVersions},
			{Name: "tools_list", Against: core.RunningServer, Run: s.probeList},
			{Name: "schemas", Against: core.RunningServer, Run: s.probeSchemas},
			{Name: "recorded_contracts", Against: core.RunningServer, Run: s.probeContracts},
			{Name: "public_pages", Against: core.RunningServer, Run: s.probePages},
			{Name: "kill_secret", Against: core.RunningServer, Run: s.probeKillSecret},
			{Name: "chain_head", Against: core.RunningServer, Run: s.probeChain},
			{Name: "limiter", Against: core.PrivateInstance, Run: s.probeLimiter},
			{Name: "embedded_files", Against: core.ThisBuild, Run: s.probeEmbedded},
			{Name: "outputs", Against: core.PrivateInstance, Run: s.probeOutputs},
		},
	}
}

// reply is the answer to a request that the server sends to itself.
type reply struct {
	header http.Header
	status int
	body   []byte
}

// Header implements http.ResponseWriter.
func (r *reply) Header() http.Header { return r.header }

// WriteHeader implements http.ResponseWriter.
func (r *reply) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
}

// Write implements http.ResponseWriter.
func (r *reply) Write(text []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	r.body = append(r.body, text...)
	return len(text), nil
}

// send sends a request through all checks of access to the handler of the server.
func send(ctx context.Context, handler http.Handler, base, token, method, path, body string) (*reply, error) {
	address, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://"+address.Host+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.RemoteAddr = "127.0.0.1:1"
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}

	answer := &reply{header: http.Header{}}
	handler.ServeHTTP(answer, request)
	return answer, nil
}

// ownToken is the token of requests that the server sends to itself. It reports false if the
// server only accepts tokens of others.
func (s *Server) ownToken() (token string, ok bool) {
	switch {
	case s.deps.Token != "":
		return s.deps.Token, true
	case s.deps.OAuth == nil:
		return "", true
	}
	return s.deps.KillSecret, s.deps.KillSecret != ""
}

// noToken is why a probe of the running server is skipped.
const noToken = "the server only accepts tokens of its authorization server, and has none itself"

// ask sends a request to the running server, and reads the JSON of its answer.
func (s *Server) ask(ctx context.Context, method, path, body string) (map[string]any, error) {
	token, _ := s.ownToken()
	answer, err := send(ctx, s, s.deps.BaseURL, token, method, path, body)
	if err != nil {
		return nil, err
	}

	var object map[string]any
	if err := json.Unmarshal(answer.body, &object); err != nil || answer.status != http.StatusOK {
		return nil, fmt.Errorf("%s %s answers with status %d", method, path, answer.status)
	}
	return object, nil
}

// askMCP calls a method of the protocol on the running server.
func (s *Server) askMCP(ctx context.Context, method, params string) (map[string]any, error) {
	object, err := s.ask(ctx, http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`)
	if err != nil {
		return nil, err
	}
	result, ok := object["result"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s answers with an error", method)
	}
	return result, nil
}

// probeList compares the list that clients get with the tools of the server.
func (s *Server) probeList(ctx context.Context) (o core.Observation) {
	if _, ok := s.ownToken(); !ok {
		o.Skipped = noToken
		return o
	}

	result, err := s.askMCP(ctx, "tools/list", "{}")
	if err != nil {
		o.Found(core.SeverityError, "LIST_UNREADABLE", "The list of tools cannot be read: "+err.Error()+".", "Look into the log of the server.")
		return o
	}

	var listed []string
	for _, each := range listOf(result["tools"]) {
		name, _ := each["name"].(string)
		listed = append(listed, name)
	}
	var sold []string
	for _, each := range s.sold.listed() {
		sold = append(sold, each.Name)
	}
	if !slices.Equal(listed, sold) {
		o.Found(core.SeverityError, "LIST_DIFFERS", "The list of tools is not that of the tools which the server has.", "Build the server again.")
	}

	health, err := s.ask(ctx, http.MethodGet, "/health", "")
	if count, _ := health["tools"].(float64); err != nil || int(count) != len(listed) {
		o.Found(core.SeverityWarn, "COUNT_DIFFERS", "GET /health states another number of tools than the list has.", "Build the server again.")
	}
	slices.Sort(listed)
	if len(slices.Compact(listed)) != len(sold) {
		o.Found(core.SeverityError, "NAME_TWICE", "Two tools have the same name.", "Give each tool a name of its own.")
	}
	o.Detail = fmt.Sprintf("%d tools offered of %d that the program has", len(sold), tools.Count())
	return o
}

// listOf are the objects in a list of JSON.
func listOf(value any) []map[string]any {
	list, _ := value.([]any)
	var objects []map[string]any
	for _, each := range list {
		if object, ok := each.(map[string]any); ok {
			objects = append(objects, object)
		}
	}
	return objects
}

// knownSecrets are pieces of kill secrets that others know, too.
var knownSecrets = []string{"changeme", "change-me", "default", "example", "password", "secret", "nervous-system", "kill-secret", "placeholder", "1234567", "abcdefg"}

// leastVaried is how many different characters a secret has at least.
const leastVaried = 8

// probeKillSecret looks at the secret of the kill switch, and whether a wrong one is refused.
func (s *Server) probeKillSecret(context.Context) (o core.Observation) {
	secret := s.deps.KillSecret
	lower := strings.ToLower(secret)
	varied := map[rune]bool{}
	for _, each := range secret {
		varied[each] = true
	}

	switch {
	case secret == "":
		o.Found(core.SeverityWarn, "KILL_SECRET_UNSET", "The kill switch is off.", "Set KILL_SECRET to at least 32 random characters.")
	case len(secret) < access.MinSecret:
		o.Found(core.SeverityError, "KILL_SECRET_SHORT", "The kill secret is too short.", "Set KILL_SECRET to at least 32 random characters.")
	case len(varied) < leastVaried || slices.ContainsFunc(knownSecrets, func(known string) bool { return strings.Contains(lower, known) }):
		o.Found(core.SeverityError, "KILL_SECRET_DEFAULT", "The kill secret can be guessed.", "Set KILL_SECRET to at least 32 random characters.")
	}
	if secret != "" && subtle.ConstantTimeCompare([]byte(secret), []byte(s.deps.Token)) == 1 {
		o.Found(core.SeverityWarn, "KILL_SECRET_SHARED", "The kill secret is the API token, which agents have.", "Set KILL_SECRET to a secret of its own.")
	}
	o.Detail = "set, long enough, varied, no known one, not the API token"
	return o
}

// chainTime is how long the verification of the chain may take.
const chainTime = 4 * time.Second

// probeChain reads the head of the audit chain, and verifies the chain if there is time.
func (s *Server) probeChain(ctx context.Context) (o core.Observation) {
	head, err := s.deps.Audit.Head(ctx)
	if err != nil {
		o.Found(core.SeverityError, "CHAIN_UNREADABLE", "The head of the audit chain cannot be read.", "Look into the log of the server.")
		return o
	}
	if s.deps.Verify == nil {
		o.Detail = fmt.Sprintf("head at entry %d; nothing verifies the chain", head.Seq)
		return o
	}

	limited, cancel := context.WithTimeout(ctx, chainTime)
	defer cancel()
	report, err := s.chain.verify(limited)
	switch {
	case limited.Err() != nil:
		o.Detail = fmt.Sprintf("head at entry %d; the chain is too long to be verified here", head.Seq)
	case err != nil:
		o.Found(core.SeverityError, "CHAIN_UNREADABLE", "The audit chain cannot be verified right now.", "Call verify_audit_chain.")
	case !report.Valid && head.Seq > 0:
		o.Found(core.SeverityError, "CHAIN_BROKEN", "The audit chain does not verify.", "Call verify_audit_chain: it names the entry.")
	default:
		o.Detail = fmt.Sprintf("head at entry %d; the chain verifies", head.Seq)
	}
	return o
}

// limiterAddress is where the private handler believes to be reached.
const limiterAddress = "http://127.0.0.1:1"

// maxFlood is how many requests a limiter must not let pass at once.
const maxFlood = 5000

// probeLimiter floods a private handler behind the same access checks, whose clock stands
// still, until it answers 429.
func (s *Server) probeLimiter(ctx context.Context) (o core.Observation) {
	base, err := url.Parse(limiterAddress)
	if err != nil {
		o.Skipped = err.Error()
		return o
	}
	now := s.deps.Now()
	control := access.New(access.Options{
		Base: base,
		Now:  func() time.Time { return now },
	})
	handler := control.Protect(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusOK)
	}))

	for n := range maxFlood {
		answer, err := send(ctx, handler, limiterAddress, "", http.MethodPost, "/mcp", "{}")
		if err != nil || ctx.Err() != nil {
			o.Skipped = "the time of the check was over"
			return o
		}
		if answer.status != http.StatusTooManyRequests {
			continue
		}
		if answer.header.Get("Retry-After") == "" {
			o.Found(core.SeverityWarn, "LIMITER_SILENT", "The answer 429 does not say when to try again.", "Send Retry-After.")
		}
		o.Detail = fmt.Sprintf("request %d of one caller at once is answered with 429", n+1)
		return o
	}
	o.Found(core.SeverityError, "LIMITER_OFF", fmt.Sprintf("%d requests of one caller at once pass the limiter.", maxFlood), "Repair the limiter of routes/access.")
	return o
}

// readOnly are the tools that the server can try on itself.
func readOnly(list toolTable) []*tool.Tool {
	return slices.DeleteFunc(slices.Clone(list), func(t *tool.Tool) bool {
		return !t.Hints.ReadOnly || t.Name == "self_check"
	})
}
