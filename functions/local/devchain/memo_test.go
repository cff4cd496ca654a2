package devchain

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"governance.internal/shared/x402/evm"
)

// A memo can be read back from the chain by its hash; a wallet without coins writes none.
func TestAMemoIsCalldata(t *testing.T) {
	s := openShop(t)
	chain, err := evm.Dial(s.token, []string{s.chain.URL()})
	if err != nil {
		t.Fatal(err)
	}
	wallet, err := evm.ParseKey("0x" + strings.Repeat("0d", 32))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := chain.Memo(ctx, wallet, []byte("text")); !errors.Is(err, evm.ErrGasWallet) {
		t.Errorf("a memo without coins: %v", err)
	}
	s.give(common.HexToAddress(wallet.Address()), big.NewInt(1e18))
	for _, text := range []string{"shop.example/governance\n1\nroot\n", "and once more"} {
		hash, err := chain.Memo(ctx, wallet, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		tx, pending, err := s.client.TransactionByHash(ctx, common.HexToHash(hash))
		if err != nil || pending || string(tx.Data()) != text {
			t.Errorf("%v, pending %v (%v)", tx, pending, err)
		}
	}
}
