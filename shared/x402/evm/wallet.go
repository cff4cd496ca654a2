package evm

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"

	"governance.internal/shared/payments"
)

// Wallet is an account that pays gas: a [Key], or a [RemoteKey] whose private
// part never leaves its keeper.
type Wallet interface {
	Address() string // checksummed hex (EIP-55)

	// sign gives r, s (low) and v as 0 or 1.
	sign(ctx context.Context, hash common.Hash) ([]byte, error)
}

func accountOf(w Wallet) common.Address {
	return common.HexToAddress(w.Address())
}

// Errors of a wallet that cannot pay for gas now. Nothing was sent; they last
// until fees fall or the operator sends coins.
var (
	ErrReverts   = errors.New("the transfer would revert")
	ErrFeeCap    = errors.New("gas costs more than the configured limit")
	ErrGasWallet = errors.New("the gas wallet holds too little to pay the gas; send it coins")
)

// WalletNonce is the wallet's next nonce, transactions in the pool counted.
func (c *Chain) WalletNonce(ctx context.Context, wallet Wallet) (nonce uint64, err error) {
	err = c.ask(ctx, func(ctx context.Context, node *ethclient.Client) error {
		nonce, err = node.PendingNonceAt(ctx, accountOf(wallet))
		return err
	})
	return nonce, err
}

// Fees are what a transaction is signed with.
type Fees struct {
	gas      uint64
	tip, max *big.Int // wei for a unit of gas
}

// of is a call as a transaction of the wallet with these fees makes it. A node runs it
// only if the wallet can pay for all its gas.
func (f Fees) of(wallet Wallet, call ethereum.CallMsg) ethereum.CallMsg {
	call.From = accountOf(wallet)
	call.GasTipCap = f.tip
	call.GasFeeCap = f.max
	return call
}

// Fees estimates the gas of a payment with a margin and the current fees (EIP-1559),
// and tries the transaction exactly as it is then signed. ErrReverts when the EVM
// refuses the transfer, ErrGasWallet when the wallet cannot pay for it.
func (c *Chain) Fees(ctx context.Context, wallet Wallet, p payments.Payment) (fees Fees, err error) {
	transfer, err := c.transfer(ctx, p)
	if err != nil {
		return fees, err
	}

	most := transfer.Gas
	err = c.ask(ctx, func(ctx context.Context, node *ethclient.Client) error {
		if fees, err = c.prices(ctx, node, 1); err != nil {
			return err
		}
		transfer = fees.of(wallet, transfer)
		transfer.Gas = most
		gas, err := node.EstimateGas(ctx, transfer)
		if err != nil {
			return err
		}

		fees.gas = min(gas+gas/3, most)
		transfer.Gas = fees.gas
		_, err = node.CallContract(ctx, transfer, nil)
		return err
	})
	if !reverted(err) && !isPoor(err) {
		return fees, err
	}

	fees.gas = most
	if err := c.affordable(ctx, wallet, fees); err != nil {
		return fees, err
	}

	return fees, ErrReverts
}

// usualPrices are what gas cost lately, for questions.
type usualPrices struct {
	mu        sync.Mutex
	asked     time.Time
	tip, base *big.Int
}

// usualLife is how long prices are the usual ones. A base fee rises by an eighth a
// block at most.
const usualLife = 5 * time.Second

// usualFees are like those of a transaction that is signed now.
func (c *Chain) usualFees(ctx context.Context) (Fees, error) {
	c.usual.mu.Lock()
	defer c.usual.mu.Unlock()

	if c.usual.tip == nil || time.Since(c.usual.asked) > usualLife {
		err := c.ask(ctx, func(ctx context.Context, node *ethclient.Client) (err error) {
			c.usual.tip, c.usual.base, err = pricesNow(ctx, node)
			return err
		})
		if err != nil {
			c.usual.tip = nil
			return Fees{}, err
		}

		c.usual.asked = time.Now()
	}

	fees, err := c.capped(c.usual.tip, c.usual.base)
	if err != nil {
		c.usual.tip = nil // gas may cost less by the next question
	}

	return fees, err
}

// prices are what a transaction is signed with now, its tip some times the suggested
// one.
func (c *Chain) prices(ctx context.Context, node *ethclient.Client, times int64) (Fees, error) {
	tip, base, err := pricesNow(ctx, node)
	if err != nil {
		return Fees{}, err
	}
	return c.capped(tip.Mul(tip, big.NewInt(times)), base)
}

// pricesNow are the tip that a node suggests and the base fee of its newest block.
func pricesNow(ctx context.Context, node *ethclient.Client) (tip, base *big.Int, err error) {
	if tip, err = node.SuggestGasTipCap(ctx); err != nil {
		return nil, nil, err
	}
	head, err := node.HeaderByNumber(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	return tip, head.BaseFee, nil
}

// capped are a tip and a limit that holds while the base fee doubles. The cap bounds
// the limit; ErrFeeCap if no transaction would be mined for that.
func (c *Chain) capped(tip, base *big.Int) (Fees, error) {
	fees := Fees{tip: tip, max: new(big.Int).Add(tip, new(big.Int).Lsh(base, 1))}
	if c.FeeCap == nil || fees.max.Cmp(c.FeeCap) <= 0 {
		return fees, nil
	}
	if c.FeeCap.Cmp(new(big.Int).Add(base, tip)) < 0 {
		return Fees{}, ErrFeeCap
	}

	fees.max = c.FeeCap
	return fees, nil
}

// affordable looks whether the wallet can pay for all gas of a transaction.
func (c *Chain) affordable(ctx context.Context, wallet Wallet, fees Fees) error {
	coins, err := c.Coins(ctx, wallet.Address())
	if err == nil && coins.Cmp(new(big.Int).Mul(fees.max, new(big.Int).SetUint64(fees.gas))) < 0 {
		return fmt.Errorf("%w: %s", ErrGasWallet, wallet.Address())
	}
	return err
}

// Coins is what an address has of the network's own coin, which pays the gas, in wei.
func (c *Chain) Coins(ctx context.Context, address string) (coins *big.Int, err error) {
	err = c.ask(ctx, func(ctx context.Context, node *ethclient.Client) (err error) {
		coins, err = node.BalanceAt(ctx, common.HexToAddress(address), nil)
		return err
	})
	return coins, err
}

// SignTransfer signs the transaction that moves the money; nothing is sent.
func (c *Chain) SignTransfer(
	ctx context.Context,
	wallet Wallet,
	p payments.Payment,
	fees Fees,
	nonce uint64,
	instance string,
) (payments.Attempt, error) {
	transfer, err := c.transfer(ctx, p)
	if err != nil {
		return payments.Attempt{}, err
	}

	tx, err := c.sign(ctx, wallet, &types.DynamicFeeTx{
		Nonce:     nonce,
		GasTipCap: fees.tip,
		GasFeeCap: fees.max,
		Gas:       fees.gas,
		To:        transfer.To,
		Data:      transfer.Data,
	})
	if err != nil {
		return payments.Attempt{}, err
	}

	return attempt(tx, payments.Attempt{
		Chain:  instance,
		Wallet: payments.Wallet(wallet.Address()),
	})
}

func (c *Chain) sign(ctx context.Context, wallet Wallet, unsigned *types.DynamicFeeTx) (*types.Transaction, error) {
	unsigned.ChainID = new(big.Int).SetUint64(c.ChainID)
	signer := types.LatestSignerForChainID(unsigned.ChainID)
	tx := types.NewTx(unsigned)
	signature, err := wallet.sign(ctx, signer.Hash(tx))
	if err != nil {
		return nil, fmt.Errorf("gas wallet: %w", err)
	}
	return tx.WithSignature(signer, signature)
}

// attempt is the stored form of a transaction.
func attempt(tx *types.Transaction, a payments.Attempt) (payments.Attempt, error) {
	var err error
	a.Raw, err = tx.MarshalBinary()
	a.WalletNonce = tx.Nonce()
	a.Hash = tx.Hash().Hex()
	return a, err
}

func parse(a payments.Attempt) (*types.Transaction, error) {
	var tx types.Transaction
	if err := tx.UnmarshalBinary(a.Raw); err != nil {
		return nil, fmt.Errorf("stored transaction: %w", err)
	}
	return &tx, nil
}

// Replace signs a waiting transaction again, with the same nonce and present
// fees, if the chain has become too expensive for the ones that it offers. Nodes
// take a replacement only when both fees rise by a tenth.
func (c *Chain) Replace(
	ctx context.Context,
	wallet Wallet,
	waiting payments.Attempt,
) (replacement payments.Attempt, replaced bool, err error) {
	tx, err := parse(waiting)
	if err != nil || payments.Wallet(wallet.Address()) != waiting.Wallet {
		return waiting, false, err
	}

	var fees Fees
	tooLow := false
	err = c.ask(ctx, func(ctx context.Context, node *ethclient.Client) error {
		head, err := node.HeaderByNumber(ctx, nil)
		if err != nil {
			return err
		}
		if tooLow = tx.GasFeeCap().Cmp(head.BaseFee) < 0; !tooLow {
			return nil
		}

		fees, err = c.prices(ctx, node, 1)
		return err
	})
	if err != nil || !tooLow {
		return waiting, false, err
	}

	fees.tip, fees.max = atLeast(fees.tip, raised(tx.GasTipCap())), atLeast(fees.max, raised(tx.GasFeeCap()))
	if c.FeeCap != nil && fees.max.Cmp(c.FeeCap) > 0 {
		return waiting, false, ErrFeeCap
	}

	next, err := c.sign(ctx, wallet, &types.DynamicFeeTx{
		Nonce:     tx.Nonce(),
		GasTipCap: fees.tip,
		GasFeeCap: fees.max,
		Gas:       tx.Gas(),
		To:        tx.To(),
		Data:      tx.Data(),
	})
	if err != nil {
		return waiting, false, err
	}

	waiting.Replaced = append(waiting.Replaced[:len(waiting.Replaced):len(waiting.Replaced)], waiting.Hash)
	replacement, err = attempt(next, waiting)
	return replacement, err == nil, err
}

// raised is an eighth more, rounded up.
func raised(fee *big.Int) *big.Int {
	more := new(big.Int).Rsh(fee, 3)
	return more.Add(more, fee).Add(more, big.NewInt(1))
}

func atLeast(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

// ErrNonceSpent says that the chain already mined a transaction with this nonce.
var ErrNonceSpent = errors.New("the wallet nonce is spent")

// Send broadcasts a signed transaction; one that the node knows is no error.
func (c *Chain) Send(ctx context.Context, a payments.Attempt) error {
	tx, err := parse(a)
	if err != nil {
		return err
	}

	err = c.ask(ctx, func(ctx context.Context, node *ethclient.Client) error {
		return node.SendTransaction(ctx, tx)
	})
	switch {
	case err == nil || isKnown(err):
		return nil
	case isSpent(err):
		return ErrNonceSpent
	}
	return err
}

// Spend uses up a nonce of the wallet that no stored transaction gets through: a
// transfer of nothing to itself, at twice the usual tip so that it also replaces
// a transaction that waits with too low a one.
func (c *Chain) Spend(ctx context.Context, wallet Wallet, nonce uint64) error {
	account := accountOf(wallet)
	err := c.ask(ctx, func(ctx context.Context, node *ethclient.Client) error {
		fees, err := c.prices(ctx, node, 2)
		if err != nil {
			return err
		}

		tx, err := c.sign(ctx, wallet, &types.DynamicFeeTx{
			Nonce:     nonce,
			GasTipCap: fees.tip,
			GasFeeCap: fees.max,
			Gas:       21_000,
			To:        &account,
		})
		if err != nil {
			return err
		}

		return node.SendTransaction(ctx, tx)
	})
	if err != nil && (isKnown(err) || isSpent(err)) {
		return nil
	}

	return err
}
