package evm

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/rpc"

	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
)

// Chain is a token on a chain behind JSON-RPC. Calls go to the first node of the
// list that answers; one that failed comes last for a while. It is safe for concurrent use.
type Chain struct {
	Token
	FeeCap    *big.Int // the most that a unit of gas may cost, wei; nil: no limit
	nodes     []*node
	factories map[common.Address]bool // that may deploy a payer's wallet

	mu         sync.Mutex
	instance   string
	proxyFound atomic.Bool // Permit2 can be used
}

// node is one of several that serve the chain.
type node struct {
	*ethclient.Client
	failed atomic.Int64 // Unix nanoseconds of its last failure; 0: none
}

// idleConnections are kept to each node: with the standard library's two, most
// calls under load would pay for a new connection.
const idleConnections = 64

// Dial prepares a chain; no node is contacted yet. The factories are the
// addresses of contracts that may be called to deploy the wallet of a payer
// (ERC-6492).
func Dial(token Token, urls []string, factories ...string) (*Chain, error) {
	c := &Chain{Token: token, factories: map[common.Address]bool{}}
	for _, factory := range factories {
		c.factories[common.HexToAddress(factory)] = true
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = idleConnections
	for _, url := range urls {
		client, err := rpc.DialOptions(context.Background(), url, rpc.WithHTTPClient(&http.Client{Transport: transport}))
		if err != nil {
			return nil, errors.New("RPC_URLS: an address cannot be used") // its text may hold an API key
		}
		c.nodes = append(c.nodes, &node{Client: ethclient.NewClient(client)})
	}
	if len(c.nodes) == 0 {
		return nil, errors.New("RPC_URLS: no address")
	}
	return c, nil
}

// nodeLimit is how long a node may take for an answer before the next is asked.
const nodeLimit = 3 * time.Second

// ask runs call on one node after the other until one answers.
func (c *Chain) ask(ctx context.Context, call func(context.Context, *ethclient.Client) error) error {
	var err error
	for _, node := range c.inOrder() {
		limited, cancel := context.WithTimeout(ctx, nodeLimit)
		err = call(limited, node.Client)
		cancel()
		if isAnswer(err) {
			return err
		}
		if ctx.Err() == nil { // else the caller left
			node.failed.Store(time.Now().UnixNano())
		}
	}
	return fmt.Errorf("no chain node answers: %w", err)
}

// nodePause is how long a node that failed is asked last.
const nodePause = 20 * time.Second

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

// isAnswer tells what the chain says from the failure of a node, which may well
// be a JSON-RPC error too: a rate limit, a missing block.
func isAnswer(err error) bool {
	return err == nil || errors.Is(err, ethereum.NotFound) || reverted(err) || isKnown(err) || isSpent(err)
}

// What a node says to a transaction that it has, or whose nonce is used up.
func isKnown(err error) bool { return strings.Contains(err.Error(), "already known") }
func isSpent(err error) bool { return strings.Contains(err.Error(), "nonce too low") }

// Instance is the hash of block 0, which tells one life of a development chain
// from the next. The first call makes sure that the nodes serve the configured
// network and that the token is there and signs under the configured domain.
func (c *Chain) Instance(ctx context.Context) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.instance != "" {
		return c.instance, nil
	}
	var id *big.Int
	var genesis *types.Header
	err := c.ask(ctx, func(ctx context.Context, node *ethclient.Client) (err error) {
		if id, err = node.ChainID(ctx); err == nil {
			genesis, err = node.HeaderByNumber(ctx, new(big.Int))
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("RPC_URLS: %w", err)
	}
	if !id.IsUint64() || id.Uint64() != c.ChainID {
		return "", fmt.Errorf("RPC_URLS lead to chain %s, but NETWORK is eip155:%d", id, c.ChainID)
	}
	separator, err := c.read(ctx, c.Address, selectorSeparator)
	if err != nil && !reverted(err) {
		return "", err
	}
	if common.BytesToHash(separator) != c.Separator() || len(separator) != common.HashLength {
		return "", fmt.Errorf("ASSET %s is no token named %q, version %q, on this chain", c.Address, c.Name, c.Version)
	}
	c.instance = strings.ToLower(genesis.Hash().Hex())
	return c.instance, nil
}

// Verify asks the chain whether the payment would go through now. It returns
// nil, *payments.Invalid, or the failure of the nodes.
func (c *Chain) Verify(ctx context.Context, p payments.Payment) error {
	if p.Method == payments.MethodPermit2 {
		if err := c.permitOffered(ctx); err != nil {
			return err
		}
	}
	transfer, err := c.transfer(ctx, p)
	if err != nil {
		return err
	}
	_, err = c.call(ctx, transfer)
	if !reverted(err) {
		return err
	}
	return c.diagnose(ctx, p)
}

// call is eth_call at the newest block.
func (c *Chain) call(ctx context.Context, m ethereum.CallMsg) ([]byte, error) {
	return c.callAt(ctx, nil, m)
}

// callAt is eth_call at a block; a node that lacks it is no answer.
func (c *Chain) callAt(ctx context.Context, block *big.Int, m ethereum.CallMsg) (out []byte, err error) {
	err = c.ask(ctx, func(ctx context.Context, node *ethclient.Client) error {
		out, err = node.CallContract(ctx, m, block)
		return err
	})
	return out, err
}

// read calls a function of a contract that only reads.
func (c *Chain) read(ctx context.Context, to common.Address, selector []byte, arguments ...any) ([]byte, error) {
	return c.readAt(ctx, nil, to, selector, arguments...)
}

func (c *Chain) readAt(ctx context.Context, block *big.Int, to common.Address, selector []byte, arguments ...any) ([]byte, error) {
	return c.callAt(ctx, block, message(to, append(selector[:4:4], words(arguments...)...)))
}

// reverted says that the EVM refused, or would burn more than gasMost, rather
// than that the node failed.
func reverted(err error) bool {
	var answered rpc.Error
	if !errors.As(err, &answered) {
		return false
	}
	text := answered.Error()
	return answered.ErrorCode() == 3 || strings.Contains(text, "execution reverted") ||
		strings.Contains(text, "out of gas") || strings.Contains(text, "gas required exceeds")
}

// diagnose finds out why a transfer would revert.
func (c *Chain) diagnose(ctx context.Context, p payments.Payment) error {
	m := c.method(p)
	used, err := m.used(ctx, p, nil)
	if err != nil {
		return err
	}
	if used {
		return &payments.Invalid{Reason: x402.ReasonNonceUsed, Message: "This authorization was used or canceled on the chain. Sign a new one."}
	}
	if err := m.objection(ctx, p); err != nil {
		return err
	}
	balance, err := c.Balance(ctx, p.Payer)
	if err != nil {
		return err
	}
	if balance.Cmp(big.NewInt(p.Amount)) < 0 {
		return &payments.Invalid{Reason: x402.ReasonFunds, Message: "The payer's balance is below the price."}
	}
	return &payments.Invalid{Reason: x402.ReasonSimulation,
		Message: fmt.Sprintf("The chain refuses this transfer, or it needs more than %d gas.", gasMost)}
}

// Balance is the token balance of an address in atomic units.
func (c *Chain) Balance(ctx context.Context, address string) (*big.Int, error) {
	out, err := c.read(ctx, c.Address, selectorBalance, common.HexToAddress(address))
	return amountOf(out), err
}
