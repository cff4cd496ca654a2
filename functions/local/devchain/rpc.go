package devchain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth/filters"
	"github.com/ethereum/go-ethereum/rpc"
)

// maxRequest is the largest JSON-RPC body that is read.
const maxRequest = 5 << 20

// startRPC registers the methods and serves them in the process and, if addr is
// set, over HTTP.
func (c *Chain) startRPC(addr string) error {
	c.server = rpc.NewServer()
	c.server.SetBatchLimits(1000, 25_000_000)
	system := filters.NewFilterSystem(c.eth.APIBackend, filters.Config{})
	services := append(c.eth.APIs(),
		rpc.API{Namespace: "eth", Service: filters.NewFilterAPI(system)},
		rpc.API{Namespace: "web3", Service: web3API{}},
		// Last, because its methods take the place of go-ethereum's.
		rpc.API{Namespace: "eth", Service: &sendAPI{c}},
	)
	for _, api := range services {
		switch api.Namespace {
		case "eth", "net", "web3": // not admin, debug, miner and the like
			if err := c.server.RegisterName(api.Namespace, api.Service); err != nil {
				return fmt.Errorf("devchain: %w", err)
			}
		}
	}

	var err error
	c.client, err = rpc.DialOptions(context.Background(), "http://localhost",
		rpc.WithHTTPClient(&http.Client{Transport: inProcess{c}}))
	if err != nil {
		return fmt.Errorf("devchain: %w", err)
	}
	if addr == "" {
		return nil
	}

	return c.listen(addr)
}

// listen serves HTTP on a loopback address.
func (c *Chain) listen(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("devchain: RPC address %q: %w", addr, err)
	}
	if !isLoopback(host) {
		return fmt.Errorf("devchain: RPC address %q is not a loopback address: everybody knows the keys of this chain", addr)
	}

	l, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("devchain: %w", err)
	}

	c.url = "http://" + l.Addr().String()
	c.http = &http.Server{
		Handler:           http.HandlerFunc(c.serveHTTP),
		ReadHeaderTimeout: 10 * time.Second,
	}
	c.done.Go(func() {
		if err := c.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			c.log.Error("development chain stopped serving", "error", err)
		}
	})

	return nil
}

// serveHTTP admits local programs and local web pages. The Origin excludes other sites'
// pages, and the Host those whose name resolves to 127.0.0.1.
func (c *Chain) serveHTTP(w http.ResponseWriter, r *http.Request) {
	host := r.Host
	if h, _, err := net.SplitHostPort(r.Host); err == nil {
		host = h
	}

	if !isLoopback(host) {
		http.Error(w, "this development chain answers to loopback names only", http.StatusForbidden)
		return
	}

	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		if err != nil || !isLoopback(u.Hostname()) {
			http.Error(w, "this development chain answers to local pages only", http.StatusForbidden)
			return
		}

		w.Header().Set("Access-Control-Allow-Origin", origin)
		w.Header().Add("Vary", "Origin")
		w.Header().Set("Access-Control-Allow-Headers", "content-type")
		w.Header().Set("Access-Control-Allow-Methods", "POST")
	}

	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}

	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		http.Error(w, "request body too large or cut off", http.StatusRequestEntityTooLarge)
		return
	}

	c.dispatch(w, r, body)
}

// dispatch answers one JSON-RPC request or batch at the present second and with
// the head of the chain held still.
func (c *Chain) dispatch(w http.ResponseWriter, r *http.Request, body []byte) {
	if err := c.freshen(); err != nil {
		c.log.Error("development chain could not follow the clock", "error", err)
	}

	// A request that sends a transaction moves the head itself, so it must not
	// hold it.
	if !bytes.Contains(body, []byte("eth_sendRawTransaction")) {
		c.view.RLock()
		defer c.view.RUnlock()
		r = r.WithContext(context.WithValue(r.Context(), holdsView{}, true))
	}

	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	c.server.ServeHTTP(w, r)
}

// holdsView marks the context of a request that holds the head of the chain.
type holdsView struct{}

// isLoopback reports whether a host name or address means this machine.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// inProcess is an HTTP transport without a network.
type inProcess struct{ chain *Chain }

// RoundTrip serves the request on the caller's goroutine.
func (t inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}

	r.Body.Close()
	answer := &recorder{header: make(http.Header), status: http.StatusOK}
	t.chain.dispatch(answer, r.Clone(r.Context()), body)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}

	return &http.Response{
		Status:        http.StatusText(answer.status),
		StatusCode:    answer.status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        answer.header,
		Body:          io.NopCloser(&answer.body),
		ContentLength: int64(answer.body.Len()),
		Request:       r,
	}, nil
}

// recorder is the http.ResponseWriter of inProcess.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header    { return r.header }
func (r *recorder) WriteHeader(status int) { r.status = status }
func (r *recorder) Write(p []byte) (int, error) {
	return r.body.Write(p)
}

// sendAPI replaces the methods that send a transaction: here they mine it.
type sendAPI struct{ chain *Chain }

// SendRawTransaction is eth_sendRawTransaction. When it returns the transaction
// is in a block, unless Options.BlockTime is set or its nonce is too high.
func (a *sendAPI) SendRawTransaction(ctx context.Context, input hexutil.Bytes) (common.Hash, error) {
	tx := new(types.Transaction)
	if err := tx.UnmarshalBinary(input); err != nil {
		return common.Hash{}, err
	}
	if ctx.Value(holdsView{}) != nil { // an escaped method name: mining would wait for itself
		return common.Hash{}, errors.New("write the method name without escapes")
	}
	if tx.Type() == types.BlobTxType {
		return common.Hash{}, errors.New("the development chain takes no blob transactions")
	}
	if !tx.Protected() {
		return common.Hash{}, errors.New("only replay-protected (EIP-155) transactions allowed over RPC")
	}

	if err := a.chain.submit(ctx, tx); err != nil {
		return common.Hash{}, err
	}
	return tx.Hash(), nil
}

// SendRawTransactionSync is eth_sendRawTransactionSync (EIP-7966): it sends and
// answers with the receipt, which is null when the transaction is not mined.
func (a *sendAPI) SendRawTransactionSync(ctx context.Context, input hexutil.Bytes, _ *uint64) (json.RawMessage, error) {
	hash, err := a.SendRawTransaction(ctx, input)
	if err != nil {
		return nil, err
	}
	var receipt json.RawMessage
	err = a.chain.client.CallContext(ctx, &receipt, "eth_getTransactionReceipt", hash)
	return receipt, err
}

// web3API is the web3 namespace, which go-ethereum keeps in its node.
type web3API struct{}

// ClientVersion is web3_clientVersion.
func (web3API) ClientVersion() string { return clientVersion }

// Sha3 is web3_sha3: the Keccak-256 hash of the input.
func (web3API) Sha3(input hexutil.Bytes) hexutil.Bytes {
	return crypto.Keccak256(input)
}
