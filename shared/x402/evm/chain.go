package evm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"sync"
	"sync/atomic"

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
	GasCap    uint64   // the most gas of a transfer from an account that is there; 0: [DefaultGasCap]
	LookBack  uint64   // blocks whose events a node is asked for at once; 0: [DefaultLookBack]
	nodes     []*node
	factories map[common.Address]bool // that may deploy a payer's wallet

	mu         sync.Mutex
	instance   string
	proxyFound atomic.Bool // Permit2 can be used

	usual usualPrices
}

// Dial prepares a chain; no node is contacted yet. The factories are the
// addresses of contracts that may be called to deploy the wallet of a payer
// (ERC-6492).
func Dial(token Token, urls []string, factories ...string) (*Chain, error) {
	c := &Chain{Token: token, factories: map[common.Address]bool{}}
	for _, factory := range factories {
		c.factories[common.HexToAddress(factory)] = true
	}

	client := nodeClient()
	for _, address := range urls {
		n, err := dialNode(address, client)
		if err != nil {
			return nil, err
		}
		c.nodes = append(c.nodes, n)
	}

	if len(c.nodes) == 0 {
		return nil, errors.New("RPC_URLS: no address")
	}
	return c, nil
}

// Instance is the hash of block 0, which tells one life of a development chain
// from the next. The first call makes sure that the token is there and signs under
// the configured domain.
func (c *Chain) Instance(ctx context.Context) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()

	if c.instance != "" {
		return c.instance, nil
	}
	var genesis *types.Header
	err := c.ask(ctx, func(ctx context.Context, node *ethclient.Client) (err error) {
		genesis, err = node.HeaderByNumber(ctx, new(big.Int))
		return err
	})
	if err != nil {
		return "", err
	}

	separator, err := c.read(ctx, c.Address, selectorSeparator)
	if err != nil && !reverted(err) {
		return "", err
	}

	if common.BytesToHash(separator) != c.Separator() || len(separator) != common.HashLength {
		return "", fmt.Errorf("ASSET %s is no token named %q, version %q, on this chain",
			c.Address, c.Name, c.Version)
	}

	c.instance = strings.ToLower(genesis.Hash().Hex())
	return c.instance, nil
}

// Verify asks the chain whether the payment would go through now, in a transaction of
// the gas wallet: the same caller, fees and limit of gas, so that no code of the payer
// can tell the question from the transaction. It returns nil, *payments.Invalid, or the
// failure of the nodes or of the gas wallet.
func (c *Chain) Verify(ctx context.Context, wallet Wallet, p payments.Payment) error {
	if p.Method == payments.MethodPermit2 {
		if err := c.permitOffered(ctx); err != nil {
			return err
		}
	}

	transfer, err := c.transfer(ctx, p)
	if err != nil {
		return err
	}

	fees, err := c.usualFees(ctx)
	if err != nil {
		return err
	}

	_, err = c.call(ctx, fees.of(wallet, transfer))
	switch {
	case isPoor(err):
		return fmt.Errorf("%w: %s", ErrGasWallet, wallet.Address())
	case !reverted(err):
		return err
	}

	return c.diagnose(ctx, p, transfer.Gas)
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

func (c *Chain) readAt(
	ctx context.Context,
	block *big.Int,
	to common.Address,
	selector []byte,
	arguments ...any,
) ([]byte, error) {
	return c.callAt(ctx, block, message(to, append(selector[:4:4], words(arguments...)...)))
}

// Funds is the payer's balance in atomic units, as far as it fits.
func (c *Chain) Funds(ctx context.Context, p payments.Payment) (int64, error) {
	balance, err := c.Balance(ctx, p.Payer)
	if err != nil {
		return 0, err
	}
	if !balance.IsInt64() {
		return math.MaxInt64, nil
	}
	return balance.Int64(), nil
}

// reverted says that the EVM refused, or would burn more gas than the call may, rather
// than that the node failed.
func reverted(err error) bool {
	var answered rpc.Error
	if !errors.As(err, &answered) {
		return false
	}
	text := answered.Error()

	return answered.ErrorCode() == 3 ||
		strings.Contains(text, "execution reverted") ||
		strings.Contains(text, "out of gas") ||
		strings.Contains(text, "gas required exceeds")
}

// diagnose finds out why a transfer with a limit of gas would revert.
func (c *Chain) diagnose(ctx context.Context, p payments.Payment, most uint64) error {
	m := c.method(p)
	used, err := m.used(ctx, p, nil)
	if err != nil {
		return err
	}

	if used {
		return &payments.Invalid{
			Reason:  x402.ReasonNonceUsed,
			Message: "This authorization was used or canceled on the chain. Sign a new one.",
		}
	}

	if err := m.objection(ctx, p); err != nil {
		return err
	}
	balance, err := c.Balance(ctx, p.Payer)
	if err != nil {
		return err
	}

	if balance.Cmp(big.NewInt(p.Amount)) < 0 {
		return &payments.Invalid{
			Reason:  x402.ReasonFunds,
			Message: "The payer's balance is below the price.",
		}
	}

	return &payments.Invalid{Reason: x402.ReasonSimulation,
		Message: fmt.Sprintf("The chain refuses this transfer, or it needs more than %d gas.", most)}
}

// Balance is the token balance of an address in atomic units.
func (c *Chain) Balance(ctx context.Context, address string) (*big.Int, error) {
	out, err := c.read(ctx, c.Address, selectorBalance, common.HexToAddress(address))
	return amountOf(out), err
}
