package devchain

import (
	"crypto/rand"
	"embed"
	"encoding/json"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/params"
)

// ChainID is the chain id of the network that this chain stands in for.
const ChainID = 8453

// The private keys of accounts 0, 1 and 2 of the mnemonic "test test test test
// test test test test test test test junk" (path m/44'/60'/0'/0/i). They are
// printed in the manuals of the usual development chains: money sent to them on
// a real chain is gone within seconds.
const (
	PayerKey = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
	PayToKey = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"
	GasKey   = "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a"
)

// The addresses of the three keys and what they own at genesis.
var (
	// Payer buys: 1,000 dollars and some ETH.
	Payer = common.HexToAddress("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266")
	// PayTo sells: no dollars yet and some ETH.
	PayTo = common.HexToAddress("0x70997970C51812dc3A010C7d01b50e0d17dc79C8")
	// GasWallet settles: plenty of ETH.
	GasWallet = common.HexToAddress("0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC")
)

// The contracts beside the token. The first three are where every EVM network
// has them; the factory exists on this chain only.
var (
	// Permit2 moves tokens that were approved for it, on a signature.
	Permit2 = common.HexToAddress("0x000000000022D473030F116dDEE9F6B43aC78BA3")
	// Permit2Proxy is the spender of x402 payments by Permit2.
	Permit2Proxy = common.HexToAddress("0x402085c248EeA27D92E8b30b2C58ed07f9E20001")
	// Multicall3 makes several calls in one transaction.
	Multicall3 = common.HexToAddress("0xcA11bde05977b3631167028862bE2a173976CA11")
	// WalletFactory deploys contract wallets: createWallet(owner, salt).
	WalletFactory = common.HexToAddress("0x6492000000000000000000000000000000000001")
)

// IsPublicAccount reports whether an address is of one of the three keys that everybody
// knows. Money that it gets on a real chain is lost.
func IsPublicAccount(address string) bool {
	given := common.HexToAddress(address)
	return given == Payer || given == PayTo || given == GasWallet
}

// PayerUnits is the payer's balance at genesis in atomic units: 1,000 dollars.
const PayerUnits = 1_000_000_000

const (
	// gasLimit holds about three thousand payments in one block. Blocks never
	// come faster than one a second, so this is also the limit per second.
	gasLimit = 300_000_000
	// baseFee is of the order that the real network charges: 0.005 gwei.
	baseFee = 5_000_000
)

// artefacts are what token/compile.mjs made of token/*.sol.
//
//go:embed token/*.json
var artefacts embed.FS

// artefact is a compiled contract.
type artefact struct {
	Solc         string            `json:"solc"`
	SourceSHA256 string            `json:"sourceSha256"`
	Slots        map[string]uint64 `json:"slots"`
	ABI          json.RawMessage   `json:"abi"`
	Creation     hexutil.Bytes     `json:"creation"`
	Runtime      hexutil.Bytes     `json:"runtime"`
}

// compiled returns an embedded contract. The artefacts are part of the program,
// so one that is missing or does not decode is a broken build.
func compiled(name string) artefact {
	var a artefact
	raw, err := artefacts.ReadFile("token/" + name + ".json")
	if err == nil {
		err = json.Unmarshal(raw, &a)
	}
	if err != nil {
		panic(fmt.Sprintf("devchain: contract %s: %v", name, err))
	}
	return a
}

// TokenABI returns the token's ABI as JSON.
func TokenABI() string { return string(compiled("Token").ABI) }

// newGenesis describes block 0 of a new chain.
func newGenesis(now time.Time) *core.Genesis {
	// Random bytes make every chain's genesis hash its own; see Chain.Instance.
	extra := make([]byte, 16)
	rand.Read(extra)
	return &core.Genesis{
		Config: chainConfig(),
		// Not 0, the default: the token's window check is strict, so at time 0 even
		// an authorization with validAfter 0 is "not yet valid". And one second in
		// the past, so that block 1 can carry the present second.
		Timestamp: uint64(now.Unix() - 1),
		ExtraData: extra,
		// Not nil: the JSON form, which the store keeps, must have it.
		Difficulty: new(big.Int),
		GasLimit:   gasLimit,
		BaseFee:    big.NewInt(baseFee),
		Alloc:      genesisAlloc(),
	}
}

// chainConfig returns the rules of the EVM: those of the real network, which are
// the forks up to Prague.
func chainConfig() *params.ChainConfig {
	// A copy: changing the shared variable would change every other user of
	// go-ethereum in this process.
	config := *params.AllDevChainProtocolChanges
	config.ChainID = big.NewInt(ChainID)
	// The development default turns on forks that no network has yet. Bogota
	// charges for new state, so a 60,000 gas payment would cost 269,000.
	config.OsakaTime = nil
	config.BogotaTime = nil
	return &config
}

// genesisAlloc gives the contracts their code, the token its balances, and the
// accounts their ETH.
func genesisAlloc() types.GenesisAlloc {
	// Of the system contracts only the two without which no Prague block is
	// valid. The others write into the state in every block, and a chain that
	// re-seals its tip to follow the clock (seal.go) must be able to do so
	// without leaving anything behind.
	system := core.SystemContractAllocs()
	ether := func(n int64) *big.Int {
		return new(big.Int).Mul(big.NewInt(n), big.NewInt(params.Ether))
	}
	t := compiled("Token")
	units := common.BigToHash(big.NewInt(PayerUnits))
	contract := func(name string) types.Account {
		return types.Account{
			Nonce:   1,
			Balance: new(big.Int),
			Code:    compiled(name).Runtime,
		}
	}
	return types.GenesisAlloc{
		params.WithdrawalQueueAddress:    system[params.WithdrawalQueueAddress],
		params.ConsolidationQueueAddress: system[params.ConsolidationQueueAddress],
		Payer:                            {Balance: ether(10)},
		PayTo:                            {Balance: ether(10)},
		GasWallet:                        {Balance: ether(10_000)},
		Permit2:                          contract("Permit2"),
		Permit2Proxy:                     contract("X402ExactPermit2Proxy"),
		Multicall3:                       contract("Multicall3"),
		WalletFactory:                    contract("WalletFactory"),
		TokenAddress: {
			Nonce:   1,
			Balance: new(big.Int),
			Code:    t.Runtime,
			Storage: map[common.Hash]common.Hash{
				mapSlot(Payer, t.Slots["balances"]):                              units,
				common.BigToHash(new(big.Int).SetUint64(t.Slots["totalSupply"])): units,
			},
		},
	}
}

// mapSlot returns where Solidity keeps the value of an address in a mapping.
func mapSlot(key common.Address, slot uint64) common.Hash {
	return crypto.Keccak256Hash(
		common.LeftPadBytes(key.Bytes(), 32),
		common.BigToHash(new(big.Int).SetUint64(slot)).Bytes(),
	)
}

// startNode assembles go-ethereum without a network, a key store or a disk.
func (c *Chain) startNode(genesis *core.Genesis) error {
	nodeConf := node.DefaultConfig
	nodeConf.DataDir = "" // memory: what must survive is in the store
	nodeConf.P2P = p2p.Config{NoDiscovery: true}

	conf := ethconfig.Defaults
	conf.Genesis = genesis
	conf.SyncMode = ethconfig.FullSync
	conf.TxPool.NoLocals = true
	conf.LogNoHistory = true // no background log index: searches walk the blocks
	conf.Miner.GasCeil = genesis.GasLimit
	// Every block's state is written at once and kept: a re-sealed tip would
	// confuse the garbage collection by height of the other modes.
	conf.StateScheme = "hash"
	conf.NoPruning = true
	// Small caches. The defaults are those of a main net node.
	conf.DatabaseCache, conf.TrieCleanCache, conf.TrieDirtyCache, conf.SnapshotCache = 16, 16, 0, 0

	stack, err := node.New(&nodeConf)
	if err != nil {
		return fmt.Errorf("devchain: %w", err)
	}

	c.node = stack
	if c.eth, err = eth.New(stack, &conf); err != nil {
		return fmt.Errorf("devchain: %w", err)
	}
	if err := stack.Start(); err != nil {
		return fmt.Errorf("devchain: %w", err)
	}

	return nil
}
