package evm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/rpc"

	"governance.internal/shared/telemetry"
)

const (
	nodeLimit       = 3 * time.Second  // for an answer, before the next node is asked
	nodePause       = 20 * time.Second // so long a node that failed is asked last
	nodeMost        = 32 << 20         // bytes of an answer that are read
	idleConnections = 64               // kept to each node: with the standard library's two, most calls under load would pay for a new one
)

// node is one address of RPC_URLS.
type node struct {
	*ethclient.Client
	ours   atomic.Bool  // it has said that it serves the configured network
	failed atomic.Int64 // Unix nanoseconds of its last failure; 0: none
}

func dialNode(address string, client *http.Client) (*node, error) {
	connection, err := rpc.DialOptions(context.Background(), address, rpc.WithHTTPClient(client))
	if err != nil {
		return nil, errors.New("RPC_URLS: an address cannot be used") // its text may hold an API key
	}
	return &node{Client: ethclient.NewClient(connection)}, nil
}

// nodeClient follows no redirect, since the address it leads to was not chosen and
// would learn the key in ours, and reads no answer without end.
func nodeClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = idleConnections
	return &http.Client{
		Transport: telemetry.Transport(bounded{transport}),
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
}

// bounded limits the answers of a transport.
type bounded struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = http.MaxBytesReader(nil, answer.Body, nodeMost)
	}
	return answer, err
}

// ask runs call on one node after the other until one answers. A node of another
// network is no failure to step over: its answers would judge payments wrongly.
func (c *Chain) ask(ctx context.Context, call func(context.Context, *ethclient.Client) error) error {
	var err error
	for _, n := range c.inOrder() {
		err = c.askOne(ctx, n, call)
		if isAnswer(err) || errors.Is(err, errNetwork) {
			return err
		}
		if ctx.Err() == nil { // else the caller left
			n.failed.Store(time.Now().UnixNano())
		}
	}
	return fmt.Errorf("no node of RPC_URLS answers: %w", discreet(err))
}

// inOrder lists the nodes as configured, but those that failed lately last: a buyer
// must not wait for a node that hangs at each call.
func (c *Chain) inOrder() []*node {
	since := time.Now().Add(-nodePause).UnixNano()
	var good, bad []*node
	for _, n := range c.nodes {
		if n.failed.Load() > since {
			bad = append(bad, n)
		} else {
			good = append(good, n)
		}
	}
	return append(good, bad...)
}

func (c *Chain) askOne(ctx context.Context, n *node, call func(context.Context, *ethclient.Client) error) error {
	ctx, cancel := context.WithTimeout(ctx, nodeLimit)
	defer cancel()

	if !n.ours.Load() {
		id, err := n.ChainID(ctx)
		if err != nil {
			return err
		}
		if !id.IsUint64() || id.Uint64() != c.ChainID {
			return fmt.Errorf("%w: one is of chain %s, but NETWORK is eip155:%d", errNetwork, id, c.ChainID)
		}
		n.ours.Store(true)
	}
	return call(ctx, n.Client)
}

var errNetwork = errors.New("RPC_URLS lead to another network")

// isAnswer distinguishes an answer of the chain from the failure of a node, which may also
// be a JSON-RPC error, such as a rate limit or a missing block.
func isAnswer(err error) bool {
	return err == nil ||
		errors.Is(err, ethereum.NotFound) ||
		errors.Is(err, ErrFeeCap) ||
		reverted(err) ||
		isKnown(err) ||
		isSpent(err) ||
		isPoor(err)
}

// Errors of a node for a transaction that it has, or whose nonce is used.
func isKnown(err error) bool {
	return strings.Contains(err.Error(), "already known")
}

func isSpent(err error) bool { return strings.Contains(err.Error(), "nonce too low") }

// isPoor says that a node found too few coins in the wallet for a call's gas.
func isPoor(err error) bool {
	return err != nil && strings.Contains(err.Error(), "insufficient funds for")
}

// discreet is a failure without the address of its node, whose path may be an API
// key, and without the page that came instead of an answer, which may repeat it.
func discreet(err error) error {
	var sent *url.Error
	var page rpc.HTTPError
	switch {
	case errors.As(err, &sent):
		return sent.Err
	case errors.As(err, &page):
		return errors.New(page.Status)
	}
	return err
}
