package devchain

import (
	"context"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus/misc/eip1559"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/txpool/txorder"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/miner"
	"github.com/holiman/uint256"
)

// How blocks follow the clock.
//
// Two goals conflict. A payment should settle in milliseconds, and a block's timestamp
// should be the present, because the token compares it with the window of an authorization.
// But a block must be at least one second younger than its parent, so a chain that mines a
// block for each payment runs ahead of the clock as soon as two payments come in one
// second: after 200 quick payments it would be three minutes in the future and every new
// authorization, valid for one minute, would be expired.
//
// So the block of the present second stays open. The first transaction of a
// second makes a block; the next one in the same second replaces that block by a
// longer version of it, with the same parent, number and timestamp and with the
// old transactions first. A receipt therefore keeps its transaction hash, block
// number, index and log indexes; only the block hash may change until the second
// is over. Clients that follow the chain by number or by transaction never
// notice. The block before the head, tagged safe and finalized, never changes.
//
// The same move keeps an idle chain in the present. When a request arrives and
// the head is older than this second, an empty head is replaced by one with the
// present timestamp, and a head with transactions gets an empty child. The chain
// grows by at most one block for each second in which something was paid, and
// not at all while it is idle.

// maxReplaced is how many replaced blocks stay readable, for the pool, which
// learns of a new head a little later.
const maxReplaced = 64

// fullBlockPause is how long a transaction that did not fit into the block of
// this second waits before it tries again.
const fullBlockPause = 50 * time.Millisecond

// submit hands a transaction to the pool and, unless a block time is set, mines
// it before it returns. An error means that the transaction was refused, or that
// it is in the pool but could not be made durable.
func (c *Chain) submit(ctx context.Context, tx *types.Transaction) error {
	if err := c.eth.TxPool().Add([]*types.Transaction{tx}, true)[0]; err != nil {
		return err
	}
	if c.blockTime > 0 {
		return nil
	}

	// A transaction behind a nonce gap stays queued, as on a real chain. One that
	// does not fit waits for the next second.
	for range 2 * time.Second / fullBlockPause {
		if c.eth.TxPool().Status(tx.Hash()) != txpool.TxStatusPending {
			return nil
		}
		if err := c.seal(); err != nil {
			return err
		}
		if c.eth.TxPool().Status(tx.Hash()) != txpool.TxStatusPending {
			return nil
		}

		select {
		case <-ctx.Done():
			return nil
		case <-time.After(fullBlockPause):
		}
	}

	return nil
}

// seal mines everything in the pool that can be mined now.
func (c *Chain) seal() error {
	c.sealing.Lock()
	defer c.sealing.Unlock()
	return c.extend(true)
}

// freshen makes sure that the head's timestamp is the present second.
func (c *Chain) freshen() error {
	if c.eth.BlockChain().CurrentBlock().Time >= uint64(c.now().Unix()) {
		return nil
	}
	c.sealing.Lock()
	defer c.sealing.Unlock()
	return c.extend(false)
}

// slot is the place of the next block.
type slot struct {
	parent *types.Header
	keep   types.Transactions // of the block that is replaced, which stay first
	time   uint64
}

// nextSlot decides between a new block on the head and a new version of the
// head. The timestamp is the present second. It can only be later when the
// clock was set back, because time in a chain never goes back.
func (c *Chain) nextSlot(head *types.Block) slot {
	now := uint64(c.now().Unix())
	open := len(head.Transactions()) == 0 || now <= head.Time()
	if head.NumberU64() == 0 || !open {
		return slot{parent: head.Header(), time: max(now, head.Time()+1)}
	}

	parent := c.eth.BlockChain().GetHeader(head.ParentHash(), head.NumberU64()-1)
	at := max(now, parent.Time+1)
	if len(head.Transactions()) > 0 {
		at = head.Time() // transactions were executed at this time: it stands
	}

	return slot{
		parent: parent,
		keep:   head.Transactions(),
		time:   at,
	}
}

// extend moves the chain to the present and, if mine is set, mines what is
// pending. The caller holds c.sealing.
func (c *Chain) extend(mine bool) error {
	if c.closed.Load() {
		return fmt.Errorf("devchain: closed")
	}
	head := c.head()
	next := c.nextSlot(head)
	var fresh []*types.Transaction
	if mine {
		fresh = c.executable(next)
	}
	if len(fresh) == 0 && next.time <= head.Time() {
		return nil
	}

	block, err := c.build(next, fresh)
	if err != nil {
		return fmt.Errorf("devchain: building block %d: %w", next.parent.Number.Uint64()+1, err)
	}

	return c.adopt(head, block)
}

// executable returns the pending transactions that the next block has room for,
// best tip first and each account's in order.
func (c *Chain) executable(next slot) []*types.Transaction {
	fee := eip1559.CalcBaseFee(c.eth.BlockChain().Config(), next.parent)
	pending, count := c.eth.TxPool().Pending(txpool.PendingFilter{BaseFee: uint256.MustFromBig(fee)})
	if count == 0 {
		return nil
	}

	room := uint64(gasLimit)
	for _, tx := range next.keep {
		room -= min(room, tx.Gas())
	}

	signer := types.LatestSigner(c.eth.BlockChain().Config())
	ordered := txorder.NewTransactionsByPriceAndNonce(signer, pending, fee)
	var txs []*types.Transaction
	for {
		lazy, _ := ordered.Peek()
		if lazy == nil {
			return txs
		}

		tx := lazy.Resolve()
		if tx == nil || tx.Gas() > room {
			ordered.Pop() // later nonces of this account cannot go first
			continue
		}

		room -= tx.Gas()
		txs = append(txs, tx)
		ordered.Shift()
	}
}

// build executes a block. A transaction that cannot be executed after all (its
// sender spent the gas money in the same block, say) is left out, and with it
// the later ones of its sender.
func (c *Chain) build(next slot, fresh []*types.Transaction) (*types.Block, error) {
	block, err := c.assemble(next, append(next.keep[:len(next.keep):len(next.keep)], fresh...))
	if err == nil || len(fresh) == 0 {
		return block, err
	}

	good := next.keep[:len(next.keep):len(next.keep)]
	for _, tx := range fresh {
		if _, err := c.assemble(next, append(good, tx)); err != nil {
			c.log.Debug("development chain left a transaction in the pool", "tx", tx.Hash(), "error", err)
			continue
		}
		good = append(good, tx)
	}
	return c.assemble(next, good)
}

// assemble executes the given transactions on the slot's parent.
func (c *Chain) assemble(next slot, txs types.Transactions) (*types.Block, error) {
	// Nothing random goes into a block: the same transactions at the same time
	// give the same hash.
	block, _, err := c.eth.Miner().BuildTestingPayload(&miner.BuildPayloadArgs{
		Parent:     next.parent.Hash(),
		Timestamp:  next.time,
		BeaconRoot: &common.Hash{},
	}, txs, len(txs) == 0, nil)
	return block, err
}

// adopt makes a block the head: it is checked, then made durable, then made visible. A
// crash between the last two steps leaves a mined transaction without a response, just
// like a lost response on any chain.
func (c *Chain) adopt(head, block *types.Block) error {
	bc := c.eth.BlockChain()
	if _, err := bc.InsertBlockWithoutSetHead(context.Background(), block, false); err != nil {
		return fmt.Errorf("devchain: block %d: %w", block.NumberU64(), err)
	}

	if c.store != nil && len(block.Transactions()) > 0 {
		if err := c.store.put(block); err != nil {
			return err
		}
	}

	if err := c.expose(block); err != nil {
		return err
	}
	if head.NumberU64() == block.NumberU64() {
		c.retire(head)
	}

	return c.eth.TxPool().Sync()
}

// expose replaces the head while readers are locked out.
func (c *Chain) expose(block *types.Block) error {
	c.view.Lock()
	defer c.view.Unlock()

	bc := c.eth.BlockChain()
	if _, err := bc.SetCanonical(block); err != nil {
		return fmt.Errorf("devchain: block %d: %w", block.NumberU64(), err)
	}
	parent := bc.GetHeader(block.ParentHash(), block.NumberU64()-1)
	bc.SetSafe(parent)
	bc.SetFinalized(parent)

	return nil
}

// retire forgets replaced blocks, so that a chain that is asked for the time
// every second for a week does not keep a block for each answer.
func (c *Chain) retire(block *types.Block) {
	c.replaced = append(c.replaced, block)
	if len(c.replaced) <= maxReplaced {
		return
	}
	oldest := c.replaced[0]
	c.replaced = append(c.replaced[:0], c.replaced[1:]...)
	rawdb.DeleteBlock(c.eth.ChainDb(), oldest.Hash(), oldest.NumberU64())
}
