package evm

import (
	"context"
	"errors"
	"fmt"
	"math/big"
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

// Dial prepares a chain; no node is contacted yet.
func Dial(token Token, urls []string) (*Chain, error) {
	c := &Chain{Token: token}
	for _, url := range urls {
		node, err := ethclient.Dial(url)
		if err != nil {
			return nil, errors.New("RPC_URLS: an address cannot be used") // its text may hold an API key
		}
		c.nodes = append(c.nodes, node)
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
// from the next.
func (c *Chain) Instance(ctx context.Context) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.instance != "" {
		return c.instance, nil
	}
	err := c.ask(ctx, func(ctx context.Context, node *ethclient.Client) error {
		header, err := node.HeaderByNumber(ctx, new(big.Int))
		if err == nil {
			c.instance = strings.ToLower(header.Hash().Hex())
		}
		return err
	})
	return c.instance, err
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

// WalletNonce is the wallet's next nonce, transactions in the pool counted.
func (c *Chain) WalletNonce(ctx context.Context, wallet *Key) (nonce uint64, err error) {
	err = c.ask(ctx, func(ctx context.Context, node *ethclient.Client) error {
		nonce, err = node.PendingNonceAt(ctx, wallet.address)
		return err
	})
	return nonce, err
}

// ErrReverts says that the transfer would revert now.
var ErrReverts = errors.New("the transfer would revert")

// Fees are what a transaction is signed with.
type Fees struct {
	gas      uint64
	tip, max *big.Int // wei
}

// Fees estimates the gas of a payment with a margin and the current fees
// (EIP-1559). ErrReverts when the EVM refuses the transfer.
func (c *Chain) Fees(ctx context.Context, wallet *Key, p payments.Payment) (fees Fees, err error) {
	data, err := transferCall(p)
	if err != nil {
		return fees, err
	}
	err = c.ask(ctx, func(ctx context.Context, node *ethclient.Client) error {
		gas, err := node.EstimateGas(ctx, ethereum.CallMsg{From: wallet.address, To: &c.Address, Data: data})
		if err != nil {
			return err
		}
		tip, err := node.SuggestGasTipCap(ctx)
		if err != nil {
			return err
		}
		head, err := node.HeaderByNumber(ctx, nil)
		if err != nil {
			return err
		}
		fees = Fees{gas: gas + gas/3, tip: tip, max: new(big.Int).Add(tip, new(big.Int).Lsh(head.BaseFee, 1))}
		return nil
	})
	if reverted(err) {
		return fees, ErrReverts
	}
	return fees, err
}

// SignTransfer signs the transaction that moves the money; nothing is sent.
func (c *Chain) SignTransfer(wallet *Key, p payments.Payment, fees Fees, nonce uint64, instance string) (payments.Attempt, error) {
	data, err := transferCall(p)
	if err != nil {
		return payments.Attempt{}, err
	}
	chainID := new(big.Int).SetUint64(c.ChainID)
	tx, err := types.SignNewTx(wallet.private, types.LatestSignerForChainID(chainID), &types.DynamicFeeTx{
		ChainID: chainID, Nonce: nonce, GasTipCap: fees.tip, GasFeeCap: fees.max, Gas: fees.gas, To: &c.Address, Data: data,
	})
	if err != nil {
		return payments.Attempt{}, err
	}
	raw, err := tx.MarshalBinary()
	return payments.Attempt{
		Chain: instance, Wallet: payments.Wallet(wallet.Address()), WalletNonce: nonce, Raw: raw, Hash: tx.Hash().Hex(),
	}, err
}

// ErrNonceSpent says that the chain already mined a transaction with this nonce.
var ErrNonceSpent = errors.New("the wallet nonce is spent")

// Send broadcasts a signed transaction; one that the node knows is no error.
func (c *Chain) Send(ctx context.Context, a payments.Attempt) error {
	var tx types.Transaction
	if err := tx.UnmarshalBinary(a.Raw); err != nil {
		return fmt.Errorf("stored transaction: %w", err)
	}
	err := c.ask(ctx, func(ctx context.Context, node *ethclient.Client) error { return node.SendTransaction(ctx, &tx) })
	switch {
	case err == nil || isKnown(err):
		return nil
	case isSpent(err):
		return ErrNonceSpent
	}
	return err
}
