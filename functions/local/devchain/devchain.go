// Package devchain is a development chain for a laptop: a real EVM with chain
// id 8453 and a dollar token with EIP-3009 at the address of the production
// token, so that a payment can be signed, verified, settled and audited with no
// account, no money and no network. Permit2 with the proxy of x402, Multicall3
// and a factory of contract wallets stand beside the token.
//
// It runs the parts of go-ethereum that its simulated backend runs (node, eth,
// transaction pool, EVM, JSON-RPC) and drives them itself, because the simulated
// backend forgets everything at start, forces every block one second after the
// block before, and only mines when told to. See seal.go for how blocks follow
// the clock and store.go for what survives a crash.
//
// Its private keys are published in every Ethereum tutorial. Nothing here is
// ever usable on a real chain: it listens on loopback only, and its genesis
// block is one that no other chain has. Never point a real client with real
// keys at it: it has the chain id of a real chain, so a transaction signed for
// it would be valid there too.
package devchain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/rpc"
)

// Options says how a chain runs. The zero value is a chain in memory that can
// only be reached from inside the process and mines every transaction at once.
type Options struct {
	// Dir keeps the chain between runs. Empty means memory only. One process
	// at a time may have a directory open.
	Dir string

	// RPCAddr is where JSON-RPC is served over HTTP: a loopback host and a
	// port, such as "127.0.0.1:0". Empty means no HTTP. Any other host is
	// refused, because everybody knows the keys of this chain.
	RPCAddr string

	// BlockTime, when set, makes a transaction wait for the next tick of this
	// length, as on a real chain. Zero mines a transaction before
	// eth_sendRawTransaction returns.
	BlockTime time.Duration

	// Now is the clock that block timestamps follow; nil means time.Now. A test
	// that moves it forward moves the chain to that time with the next request.
	Now func() time.Time

	// Logger logs replays, repairs and failures; nil disables it. go-ethereum's own log is
	// always off.
	Logger *slog.Logger
}

// ErrInUse is returned by Start when another process has the directory open.
var ErrInUse = errors.New("devchain: the data directory is in use by another process")

// Chain is a running development chain. All methods are safe for concurrent use.
type Chain struct {
	now       func() time.Time
	log       *slog.Logger
	blockTime time.Duration

	node  *node.Node
	eth   *eth.Ethereum
	store *store // nil when the chain lives in memory

	// sealing serialises block production: its holder mines everything
	// that is in the pool, so callers that waited find their work done.
	sealing sync.Mutex
	// view is held for writing while the head of the chain is replaced, so that no reader
	// sees a mined transaction without a block.
	view sync.RWMutex
	// replaced holds blocks that were replaced by an extended version; the pool may still
	// read the most recent ones.
	replaced []*types.Block

	server *rpc.Server
	client *rpc.Client
	http   *http.Server
	url    string

	stop   chan struct{}
	done   sync.WaitGroup
	closed atomic.Bool
}

// Start opens or creates a chain and serves it. The context bounds the start,
// which replays the chain of opts.Dir; Close ends the chain.
func Start(ctx context.Context, opts Options) (_ *Chain, err error) {
	c := &Chain{
		now:       opts.Now,
		log:       opts.Logger,
		blockTime: opts.BlockTime,
		stop:      make(chan struct{}),
	}
	if c.now == nil {
		c.now = time.Now
	}
	if c.log == nil {
		c.log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()

	genesis := newGenesis(c.now())
	if opts.Dir != "" {
		if c.store, err = openStore(opts.Dir); err != nil {
			return nil, err
		}
		if genesis, err = c.store.genesis(genesis); err != nil {
			return nil, err
		}
	}

	if err = c.startNode(genesis); err != nil {
		return nil, err
	}
	if err = c.replay(ctx); err != nil {
		return nil, err
	}
	// The first block: without it, an unused chain would answer
	// eth_call with the timestamp of its genesis.
	if err = c.freshen(); err != nil {
		return nil, err
	}
	if err = c.startRPC(opts.RPCAddr); err != nil {
		return nil, err
	}
	if c.blockTime > 0 {
		c.done.Go(c.tick)
	}

	return c, nil
}

// replay executes the blocks of the directory.
func (c *Chain) replay(ctx context.Context) error {
	if c.store == nil {
		return nil
	}
	started := time.Now()
	count := 0
	err := c.store.blocks(func(batch types.Blocks) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := c.eth.BlockChain().InsertChain(batch); err != nil {
			return err
		}
		count += len(batch)

		return nil
	})
	if err != nil {
		return fmt.Errorf("devchain: replaying %s: %w", c.store.path(), err)
	}
	if count > 0 {
		c.log.Info("development chain replayed", "blocks", count, "took", time.Since(started))
	}

	return nil
}

// tick mines what is pending at every BlockTime.
func (c *Chain) tick() {
	ticker := time.NewTicker(c.blockTime)
	defer ticker.Stop()

	for {
		select {
		case <-c.stop:
			return
		case <-ticker.C:
			if err := c.seal(); err != nil {
				c.log.Error("development chain could not mine", "error", err)
			}
		}
	}
}

// Instance identifies this life of the chain: the hash of block 0, in hex. It is
// the same after every restart with the same directory and differs from that of
// every other chain, so a payment store can see that the chain under
// them was replaced. Any client can read it with eth_getBlockByNumber("0x0").
func (c *Chain) Instance() string {
	return c.eth.BlockChain().Genesis().Hash().Hex()
}

// Client returns a client that reaches the chain without a socket. It sees the
// chain exactly as an HTTP client does; subscriptions are not available.
func (c *Chain) Client() *ethclient.Client {
	return ethclient.NewClient(c.client)
}

// RPC returns the client underneath Client, for calls that ethclient has no
// method for.
func (c *Chain) RPC() *rpc.Client {
	return c.client
}

// URL returns where JSON-RPC is served, such as "http://127.0.0.1:8545", or ""
// when Options.RPCAddr was empty.
func (c *Chain) URL() string { return c.url }

// HeadTime returns the timestamp that an eth_call made now would see.
func (c *Chain) HeadTime() time.Time {
	if err := c.freshen(); err != nil {
		c.log.Error("development chain could not follow the clock", "error", err)
	}
	return time.Unix(int64(c.eth.BlockChain().CurrentBlock().Time), 0)
}

// Close stops serving and releases the directory. It is safe to call twice.
func (c *Chain) Close() error {
	if c.closed.Swap(true) {
		return nil
	}
	close(c.stop)
	var errs []error

	if c.http != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		if err := c.http.Shutdown(ctx); err != nil {
			errs = append(errs, c.http.Close())
		}
	}

	c.done.Wait()
	if c.client != nil {
		c.client.Close()
	}
	if c.server != nil {
		c.server.Stop()
	}

	c.sealing.Lock() // a block that is being written is finished first
	defer c.sealing.Unlock()

	if c.node != nil {
		errs = append(errs, c.node.Close())
	}
	if c.store != nil {
		errs = append(errs, c.store.close())
	}

	return errors.Join(errs...)
}

// head returns the block that is the head of the chain.
func (c *Chain) head() *types.Block {
	header := c.eth.BlockChain().CurrentBlock()
	return c.eth.BlockChain().GetBlock(header.Hash(), header.Number.Uint64())
}

// TokenAddress is where the dollar token lives: the address of the production
// token on eip155:8453, because the address is part of what a buyer signs.
var TokenAddress = common.HexToAddress("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913")
