package devchain

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"governance.internal/shared/payments"
	"governance.internal/shared/x402"
)

// The gas wallet runs the code of a payer's wallet and pays for it also when the
// transfer reverts. These wallets agree while they are asked and burn what they get
// when they are paid from.

// agrees returns the magic value of EIP-1271.
const agrees = "631626ba7e60e01b5f5260205ff3"

// priceWatcher agrees where tx.gasprice is 0, as in a simulation that names no fee.
const priceWatcher = "3a156006" + "57" + "fe" + "5b" + agrees

// originWatcher agrees where tx.origin is the zero address, as in a simulation without a caller.
const originWatcher = "32156006" + "57" + "fe" + "5b" + agrees

// gasWatcher agrees where at least 200,000 gas are left, as in a simulation with a
// higher limit than the transaction's.
const gasWatcher = "5a62030d40" + "10" + "600a" + "57" + "fe" + "5b" + agrees

// switched agrees or burns, and changes its mind whenever it is called without data.
// No simulation can see that coming.
const switched = "36600a57" + "5f54155f5500" + "5b" + "5f5415601257" + "fe" + "5b" + agrees

// hostileWallet deploys code as a wallet that holds some units.
func (s *shop) hostileWallet(code string, units int64) common.Address {
	s.Helper()
	constructor := "60" + hexByte(len(code)/2) + "8060095f395ff3"
	wallet := s.transact(strangerKey, nil, common.FromHex(constructor+code)).ContractAddress
	s.fund(wallet, units)
	return wallet
}

// wasted counts the reverted transactions of the gas wallet and their gas.
func (s *shop) wasted() (reverted int, gas uint64) {
	s.Helper()
	head, err := s.client.BlockNumber(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	signer := types.LatestSignerForChainID(big.NewInt(ChainID))
	for number := range head + 1 {
		block, err := s.client.BlockByNumber(s.Context(), new(big.Int).SetUint64(number))
		if err != nil {
			s.Fatal(err)
		}
		for _, tx := range block.Transactions() {
			from, err := types.Sender(signer, tx)
			if err != nil {
				s.Fatal(err)
			}
			r := receipt(s.T, s.client, tx.Hash())
			if from == GasWallet && r.Status == 0 {
				reverted++
				gas += r.GasUsed
			}
		}
	}
	return reverted, gas
}

// A simulation is the transaction: same caller, same fees, same gas. A wallet that wants
// to burn in the one burns in the other.
func TestAWalletCannotTellASimulationFromTheTransaction(t *testing.T) {
	for name, code := range map[string]string{"gas price": priceWatcher, "origin": originWatcher, "gas left": gasWatcher} {
		t.Run(name, func(t *testing.T) {
			s := openShop(t)
			wallet := s.hostileWallet(code, 5000)
			m := s.process(nil)
			for range 20 { // none is paid, or it is paid honestly
				_, _ = s.buy(m, orderOf(s.paymentOf("", ownerKey, wallet)))
			}
			if reverted, gas := s.wasted(); reverted > 0 {
				t.Errorf("%d transactions reverted and burned %d gas", reverted, gas)
			}
		})
	}
}

// A revert that the simulation does not find costs one transaction; then the payer is
// paused.
func TestThreeHundredRequestsOfAHostileWalletCostOneTransaction(t *testing.T) {
	s := openShop(t)
	wallet := s.hostileWallet(switched, 5000)
	burns := false
	turn := func() {
		s.transact(strangerKey, &wallet, nil)
		burns = !burns
	}
	m := s.process(map[string]func(){"signed": turn})
	refused := map[string]int{}
	for range 300 {
		_, err := s.buy(m, orderOf(s.paymentOf("", ownerKey, wallet)))
		refused[kindOf(err)]++
		if burns {
			turn()
		}
	}
	reverted, gas := s.wasted()
	t.Logf("figure: 300 requests of a wallet that turns: %d reverted transactions, %d gas, answers %v", reverted, gas, refused)
	if reverted == 0 {
		t.Error("the wallet did not turn: the test tests nothing")
	}
	if reverted > 3 || gas > 3*300_000 {
		t.Errorf("%d reverted transactions burned %d gas", reverted, gas)
	}
}

// A hostile wallet with money for every payment waits after its first revert as well: its
// balance is no licence to burn gas.
func TestAHostileWalletWithMoneyWaitsAfterItsFirstRevert(t *testing.T) {
	const requests = 6
	s := openShop(t)
	wallet := s.hostileWallet(switched, requests*5000)
	burns := false
	turn := func() {
		s.transact(strangerKey, &wallet, nil)
		burns = !burns
	}
	m := s.process(map[string]func(){"signed": turn})

	answers := map[string]int{}
	for range requests {
		_, err := s.buy(m, orderOf(s.paymentOf("", ownerKey, wallet)))
		answers[kindOf(err)]++
		if burns {
			turn()
		}
	}

	reverted, gas := s.wasted()
	if reverted != 1 || answers[payments.CodePayerPaused] != requests-1 {
		t.Errorf("%d reverted transactions burned %d gas, answers %v", reverted, gas, answers)
	}
}

func kindOf(err error) string {
	var paused *payments.Paused
	if errors.As(err, &paused) {
		return paused.Code
	}
	return fmt.Sprintf("%T", err)
}

// When the gas of an hour is burned, wallets wait for the next hour and keys do not.
func TestTheHourlyGasBudgetStopsWalletsOnly(t *testing.T) {
	s := openShop(t)
	turn := func(wallet *common.Address) *payments.Machine {
		m := s.process(map[string]func(){"signed": func() { s.transact(strangerKey, wallet, nil) }})
		m.Limits.WastedGas = 100_000
		return m
	}
	burned := 0
	for burned = 0; burned < 10; burned++ {
		wallet := s.hostileWallet(switched, 5000)
		if _, err := s.buy(turn(&wallet), orderOf(s.paymentOf("", ownerKey, wallet))); kindOf(err) == payments.CodeWalletsPaused {
			break
		}
	}
	reverted, gas := s.wasted()
	if burned == 10 || reverted != burned || gas > 100_000+300_000 {
		t.Fatalf("%d wallets burned %d gas in %d transactions", burned, gas, reverted)
	}
	m := s.process(nil)
	m.Limits.WastedGas = 100_000
	honest := s.deployedWallet()
	_, err := s.buy(m, orderOf(s.paymentOf("", ownerKey, honest)))
	paused := wantError[*payments.Paused](t, err)
	if paused.Code != payments.CodeWalletsPaused || paused.RetryAfter <= 0 || paused.RetryAfter > time.Hour {
		t.Errorf("%+v", paused)
	}
	s.mustPay(m, s.order(5000)) // a key
	s.wait(time.Hour)
	if _, err := s.buy(m, orderOf(s.paymentOf("", ownerKey, honest))); err != nil {
		t.Errorf("an hour later: %v", err)
	}
}

// An account with a key that delegates to code runs that code, too (EIP-7702).
func TestContractWalletsCanBeRefusedAltogether(t *testing.T) {
	s := openShop(t)
	wallet := s.deployedWallet()
	s.fund(addressOf(ownerKey), 5000)
	s.delegate(ownerKey, wallet)
	m := s.process(nil)
	m.Limits.NoContracts = true
	for name, payer := range map[string]common.Address{"a contract": wallet, "a delegating account": addressOf(ownerKey)} {
		_, err := s.buy(m, orderOf(s.paymentOf("", ownerKey, payer)))
		if got := wantError[*payments.Invalid](t, err); got.Reason != payments.ReasonContract {
			t.Errorf("%s: %v", name, got)
		}
	}
	s.mustPay(m, s.order(5000))
	s.wantReceived(5000, 1)
}

// The limit of the simulation is the limit of the transaction.
func TestTheGasCapHoldsForTheTransactionToo(t *testing.T) {
	s := openShop(t)
	wallet := s.deployedWallet()
	o := orderOf(s.paymentOf("", ownerKey, wallet))
	if _, err := s.buy(s.process(nil), o); err != nil {
		t.Fatal(err)
	}
	tx := new(types.Transaction)
	if err := tx.UnmarshalBinary(s.record(o).Attempt.Raw); err != nil {
		t.Fatal(err)
	}
	if tx.Gas() > 300_000 {
		t.Errorf("signed with %d gas", tx.Gas())
	}
	// 12,000 rounds of 26 gas, then it agrees: honest, but dearer than the cap leaves.
	dear := s.hostileWallet("62002ee0"+"5b"+"6001900380"+"6004"+"57"+agrees, 5000)
	_, err := s.buy(s.process(nil), orderOf(s.paymentOf("", ownerKey, dear)))
	if got := wantError[*payments.Invalid](t, err); got.Reason != x402.ReasonSimulation || !strings.Contains(got.Message, "300000 gas") {
		t.Errorf("%v", got)
	}
}

// Thirty payments of a balance that covers one: one settles, and the others are
// refused before any gas is spent.
func TestSimultaneousPaymentsOfOneBalanceRevertNothing(t *testing.T) {
	s := openShop(t)
	s.fund(addressOf(ownerKey), 5000)
	m := s.process(nil)
	var wait sync.WaitGroup
	var mu sync.Mutex
	answers := map[string]int{}
	for range 30 {
		o := orderOf(s.paymentFrom(ownerKey, 5000))
		wait.Go(func() {
			_, err := s.buy(m, o)
			mu.Lock()
			defer mu.Unlock()
			answers[kindOf(err)]++
			var invalid *payments.Invalid
			if err != nil && (!errors.As(err, &invalid) || invalid.Reason != x402.ReasonFunds) {
				t.Errorf("refused by %v", err)
			}
		})
	}
	wait.Wait()
	reverted, gas := s.wasted()
	t.Logf("figure: 30 simultaneous payments of one balance: %v, %d reverted transactions, %d gas lost", answers, reverted, gas)
	if answers["<nil>"] != 1 || reverted > 0 {
		t.Errorf("%d settled, %d transactions reverted", answers["<nil>"], reverted)
	}
	s.wantReceived(5000, 1)
	account, err := s.store.Account(t.Context(), strings.ToLower(TokenAddress.Hex()), strings.ToLower(addressOf(ownerKey).Hex()))
	if err != nil || account.Open() != 0 {
		t.Errorf("%d units are still open (%v)", account.Open(), err)
	}
}

// A payer who can pay for all is refused nothing.
func TestSimultaneousPaymentsThatTheBalanceCoversAllSettle(t *testing.T) {
	s := openShop(t)
	s.fund(addressOf(ownerKey), 12*5000)
	m := s.process(nil)
	var wait sync.WaitGroup
	for range 12 {
		o := orderOf(s.paymentFrom(ownerKey, 5000))
		wait.Go(func() {
			if _, err := s.buy(m, o); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	s.wantReceived(12*5000, 12)
}
