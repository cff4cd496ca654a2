package evm

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"sync"
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
// list that answers. It is safe for concurrent use.
type Chain struct {
	Token
	nodes []*ethclient.Client

	mu       sync.Mutex
	instance string
}

// idleConnections are kept to each node: with the standard library's two, most
// calls under load would pay for a new connection.
const idleConnections = 64

// Dial prepares a chain; no node is contacted yet.
func Dial(token Token, urls []string) (*Chain, error) {
	c := &Chain{Token: token}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = idleConnections
	for _, url := range urls {
		node, err := rpc.DialOptions(context.Background(), url, rpc.WithHTTPClient(&http.Client{Transport: transport}))
		if err != nil {
			return nil, errors.New("RPC_URLS: an address cannot be used") // its text may hold an API key
		}
		c.nodes = append(c.nodes, ethclient.NewClient(node))
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
	for _, node := range c.nodes {
		limited, cancel := context.WithTimeout(ctx, nodeLimit)
		err = call(limited, node)
		cancel()
		if isAnswer(err) {
			return err
		}
	}
	return fmt.Errorf("no chain node answers: %w", err)
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
	separator, err := c.call(ctx, selectorSeparator)
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
	data, err := transferCall(p)
	if err != nil {
		return &payments.Invalid{Reason: x402.ReasonSignature, Message: err.Error()}
	}
	_, err = c.call(ctx, data)
	if !reverted(err) {
		return err
	}
	return c.diagnose(ctx, p)
}

// call is eth_call on the token.
func (c *Chain) call(ctx context.Context, data []byte) (out []byte, err error) {
	err = c.ask(ctx, func(ctx context.Context, node *ethclient.Client) error {
		out, err = node.CallContract(ctx, ethereum.CallMsg{To: &c.Address, Data: data}, nil)
		return err
	})
	return out, err
}

// reverted says that the EVM refused, rather than that the node failed.
func reverted(err error) bool {
	var answered rpc.Error
	return errors.As(err, &answered) && (answered.ErrorCode() == 3 || strings.Contains(answered.Error(), "execution reverted"))
}

// diagnose finds out why a transfer would revert.
func (c *Chain) diagnose(ctx context.Context, p payments.Payment) error {
	used, err := c.authorizationUsed(ctx, p)
	if err != nil {
		return err
	}
	if used {
		return &payments.Invalid{Reason: x402.ReasonNonceUsed, Message: "This authorization was used or canceled on the chain. Sign a new one."}
	}
	payer := addressTopic(p.Payer)
	balance, err := c.call(ctx, append(selectorBalance[:4:4], payer[:]...))
	if err != nil {
		return err
	}
	if amountOf(balance).Cmp(big.NewInt(p.Amount)) < 0 {
		return &payments.Invalid{Reason: x402.ReasonFunds, Message: "The payer's balance is below the price."}
	}
	return &payments.Invalid{Reason: x402.ReasonSimulation, Message: "The token refuses this transfer."}
}

func (c *Chain) authorizationUsed(ctx context.Context, p payments.Payment) (bool, error) {
	payer, nonce := addressTopic(p.Payer), common.HexToHash(p.Nonce)
	out, err := c.call(ctx, append(append(selectorState[:4:4], payer[:]...), nonce[:]...))
	return err == nil && amountOf(out).Sign() > 0, err
}

// Balance is the token balance of an address in atomic units.
func (c *Chain) Balance(ctx context.Context, address string) (*big.Int, error) {
	holder := addressTopic(address)
	out, err := c.call(ctx, append(selectorBalance[:4:4], holder[:]...))
	return amountOf(out), err
}
