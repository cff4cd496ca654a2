package devchain

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"
	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// store is what survives: the genesis block and every block with a transaction,
// in one bbolt file. go-ethereum itself runs in memory and executes the blocks
// again at start.
//
// go-ethereum's own data directory is not durable enough: it writes recent state at a clean
// shutdown only and its database does not sync, so after a kill it rewinds to the last
// state it finds. Here a block is synced to disk before a reader can see it, and a bbolt
// transaction is atomic. bbolt also locks the file against a second process.
type store struct{ db *bolt.DB }

var (
	metaBucket  = []byte("meta")
	blockBucket = []byte("blocks") // big-endian number -> RLP of the block
	genesisKey  = []byte("genesis")
)

// replayBatch is how many blocks are executed in one call at start.
const replayBatch = 256

// openStore opens or creates the file of a data directory.
func openStore(dir string) (*store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("devchain: %w", err)
	}
	// The timeout lets a previous owner finish.
	db, err := bolt.Open(filepath.Join(dir, "chain.db"), 0o600, &bolt.Options{Timeout: 500 * time.Millisecond})
	if errors.Is(err, berrors.ErrTimeout) {
		return nil, fmt.Errorf("%w: %s", ErrInUse, dir)
	}
	if err != nil {
		return nil, fmt.Errorf("devchain: opening %s: %w", filepath.Join(dir, "chain.db"), err)
	}

	err = db.Update(func(tx *bolt.Tx) error {
		_, err := tx.CreateBucketIfNotExists(metaBucket)
		if err == nil {
			_, err = tx.CreateBucketIfNotExists(blockBucket)
		}
		return err
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("devchain: %w", err), db.Close())
	}

	return &store{db}, nil
}

// genesis returns the genesis of this directory, or stores fresh as its genesis. The whole
// description is kept, with the token's code, so that a newer program continues an older
// chain unchanged.
func (s *store) genesis(fresh *core.Genesis) (*core.Genesis, error) {
	g := fresh
	err := s.db.Update(func(tx *bolt.Tx) error {
		meta := tx.Bucket(metaBucket)
		if raw := meta.Get(genesisKey); raw != nil {
			g = new(core.Genesis)
			return json.Unmarshal(raw, g)
		}

		raw, err := json.Marshal(fresh)
		if err != nil {
			return err
		}
		return meta.Put(genesisKey, raw)
	})
	if err != nil {
		return nil, fmt.Errorf("devchain: genesis in %s: %w", s.path(), err)
	}

	return g, nil
}

// put writes a block, in place of an earlier version with the same number, and
// returns when it is on the disk.
func (s *store) put(block *types.Block) error {
	raw, err := rlp.EncodeToBytes(block)
	if err != nil {
		return fmt.Errorf("devchain: encoding block %d: %w", block.NumberU64(), err)
	}
	err = s.db.Update(func(tx *bolt.Tx) error {
		return tx.Bucket(blockBucket).Put(binary.BigEndian.AppendUint64(nil, block.NumberU64()), raw)
	})
	if err != nil {
		return fmt.Errorf("devchain: writing block %d: %w", block.NumberU64(), err)
	}
	return nil
}

// blocks gives all blocks in order, some at a time.
func (s *store) blocks(each func(types.Blocks) error) error {
	return s.db.View(func(tx *bolt.Tx) error {
		var batch types.Blocks
		err := tx.Bucket(blockBucket).ForEach(func(k, v []byte) error {
			block := new(types.Block)
			if err := rlp.DecodeBytes(v, block); err != nil {
				return fmt.Errorf("block %d: %w", binary.BigEndian.Uint64(k), err)
			}
			if batch = append(batch, block); len(batch) < replayBatch {
				return nil
			}

			full := batch
			batch = nil
			return each(full)
		})
		if err != nil || len(batch) == 0 {
			return err
		}

		return each(batch)
	})
}

// path returns the name of the file, for messages.
func (s *store) path() string {
	return s.db.Path()
}

// close releases the file and its lock.
func (s *store) close() error {
	return s.db.Close()
}
