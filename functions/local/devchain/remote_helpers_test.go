package devchain

import (
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
	"governance.internal/shared/x402/evm"
	"governance.internal/shared/x402/facilitator"
)

// elsewhere is a facilitator in another house. It moves real money of the chain,
// and its answers are what a test makes them.
type elsewhere struct {
	shop *shop
	url  string

	mu        sync.Mutex
	verify    func(http.ResponseWriter, payments.Payment)
	settle    func(http.ResponseWriter, payments.Payment)
	supported func(http.ResponseWriter)
	asked     map[string]int // path -> requests
	settles   map[string]int // authorization nonce -> requests to settle
	last      *http.Request
	body      []byte
	key       string // with which the last request to settle named its sale
}

func (s *shop) elsewhere() *elsewhere {
	e := &elsewhere{shop: s, asked: map[string]int{}, settles: map[string]int{}}
	e.verify = func(w http.ResponseWriter, p payments.Payment) {
		answerJSON(w, 200, `{"isValid":true,"payer":%q}`, p.Payer)
	}
	e.settle = func(w http.ResponseWriter, p payments.Payment) { e.success(w, e.move(p)) }
	e.supported = func(w http.ResponseWriter) {
		answerJSON(w, 200, `{"kinds":[{"x402Version":1,"scheme":"exact","network":"base"},{"x402Version":2,"scheme":"exact","network":"eip155:8453","extra":{"a":1}}],"extensions":[],"signers":{}}`)
	}
	server := httptest.NewServer(e)
	s.Cleanup(server.Close)
	e.url = server.URL + "/x402"
	return e
}

func answerJSON(w http.ResponseWriter, status int, format string, args ...any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, format, args...)
}

func (e *elsewhere) success(w http.ResponseWriter, hash string) {
	answerJSON(w, 200, `{"success":true,"transaction":%q,"network":"eip155:8453"}`, hash)
}

func (e *elsewhere) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/x402/")
	body, _ := io.ReadAll(r.Body)
	var question struct {
		PaymentPayload x402.Payload `json:"paymentPayload"`
	}
	p := payments.Payment{}
	if err := json.Unmarshal(body, &question); err == nil {
		p = paymentOf(question.PaymentPayload)
	}
	e.mu.Lock()
	e.asked[path]++
	e.last, e.body = r, body
	if strings.HasSuffix(r.URL.Path, "/settle") {
		e.key = r.Header.Get("Idempotency-Key")
	}
	verify, settle, supported := e.verify, e.settle, e.supported
	if path == "settle" {
		e.settles[p.Nonce]++
	}
	e.mu.Unlock()
	switch path {
	case "verify":
		verify(w, p)
	case "settle":
		settle(w, p)
	case "supported":
		supported(w)
	default:
		http.NotFound(w, r)
	}
}

func paymentOf(payload x402.Payload) payments.Payment {
	number := func(text string) uint64 { n, _ := strconv.ParseUint(text, 10, 63); return n }
	if a := payload.Payload.Permit2Authorization; a != nil {
		nonce, _ := new(big.Int).SetString(a.Nonce, 10)
		return payments.Payment{Method: payments.MethodPermit2, Asset: a.Permitted.Token, Payer: a.From, PayTo: a.Witness.To,
			Amount: int64(number(a.Permitted.Amount)), ValidAfter: number(a.Witness.ValidAfter), ValidBefore: number(a.Deadline),
			Nonce: common.BigToHash(nonce).Hex(), Signature: payload.Payload.Signature}
	}
	a := payload.Payload.Authorization
	return payments.Payment{Payer: a.From, PayTo: a.To, Amount: int64(number(a.Value)), ValidAfter: number(a.ValidAfter),
		ValidBefore: number(a.ValidBefore), Nonce: a.Nonce, Signature: payload.Payload.Signature}
}

// movingMoney keeps the stranger's wallet in order.
var movingMoney sync.Mutex

// move carries an authorization out as it was sent and gives the transaction.
func (e *elsewhere) move(p payments.Payment) string {
	movingMoney.Lock()
	defer movingMoney.Unlock()
	if p.Method == payments.MethodPermit2 {
		return e.shop.must(strangerKey, Permit2Proxy, settleCall(e.shop.T, p)).TxHash.Hex()
	}
	call := asAuthorization(p).call(e.shop.T, "transferWithAuthorization", true, hexutil.MustDecode(p.Signature))
	return send(e.shop.T, e.shop.client, key(strangerKey), call).TxHash.Hex()
}

// does changes how the facilitator settles.
func (e *elsewhere) does(settle func(http.ResponseWriter, payments.Payment)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.settle = settle
}

// says changes how it verifies.
func (e *elsewhere) says(status int, body string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.verify = func(w http.ResponseWriter, _ payments.Payment) { answerJSON(w, status, "%s", body) }
}

// count gives how many requests came to a path.
func (e *elsewhere) count(path string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.asked[path]
}

// hangUp ends the connection without an answer.
func hangUp(http.ResponseWriter, payments.Payment) { panic(http.ErrAbortHandler) }

// testPatience is what a loaded machine needs for an answer of this process itself, three
// times; one test waits for it.
const testPatience = 12 * time.Second

// remote is the facilitator of a new process, over some others.
func (s *shop) remote(servers ...*elsewhere) *facilitator.Remote {
	s.Helper()
	var list []facilitator.Server
	for _, e := range servers {
		list = append(list, facilitator.Server{URL: e.url})
	}
	return s.remoteOver(s.chain.URL(), testPatience, list...)
}

func (s *shop) remoteOver(node string, patience time.Duration, servers ...facilitator.Server) *facilitator.Remote {
	s.Helper()
	chain, err := evm.Dial(s.token, []string{node})
	if err != nil {
		s.Fatal(err)
	}
	r, err := facilitator.NewRemote(chain, servers, s.now, patience)
	if err != nil {
		s.Fatal(err)
	}
	return r
}

// selling is a machine that settles through others.
func (s *shop) selling(servers ...*elsewhere) *payments.Machine {
	m := s.process(nil)
	m.Facilitator = s.remote(servers...)
	return m
}
