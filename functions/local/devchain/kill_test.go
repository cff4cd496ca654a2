package devchain

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
)

// childDir makes the test binary run a chain in this directory instead of the
// tests, until it is killed.
const childDir = "DEVCHAIN_TEST_CHILD_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		c, err := Start(context.Background(), Options{Dir: dir, RPCAddr: "127.0.0.1:0"})
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		fmt.Println("ready", c.URL(), c.Instance())
		select {}
	}
	os.Exit(m.Run())
}

// child starts a process that serves the chain of a directory and returns a
// function that kills it without warning.
func child(t *testing.T, dir string) (url, instance string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		cmd.Process.Kill() // SIGKILL: no handler, no deferred call, no flush
		cmd.Wait()
		if stderr.Len() > 0 {
			t.Errorf("the child is not quiet: %s", &stderr)
		}
	})
	t.Cleanup(kill)
	line, _ := bufio.NewReader(out).ReadString('\n')
	fields := strings.Fields(line)
	if len(fields) != 3 || fields[0] != "ready" {
		t.Fatalf("the child says %q", line)
	}
	return fields[1], fields[2], kill
}

// answered is a payment whose receipt a client has seen.
type answered struct {
	hash  common.Hash
	block uint64
}

// TestAKillLosesNothing kills the process at a random moment while payments
// arrive, again and again. Every payment that was answered must be there
// afterwards, where it was; the one under way may be there or not.
func TestAKillLosesNothing(t *testing.T) {
	kills := 20
	if testing.Short() {
		kills = 3
	}
	dir := t.TempDir()
	var known []answered
	var first string
	sent := uint64(0)
	for round := range kills {
		url, instance, kill := child(t, dir)
		if first == "" {
			first = instance
		} else if instance != first {
			t.Fatalf("round %d: instance %s, was %s", round, instance, first)
		}
		cl, err := ethclient.Dial(url)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range known {
			if r := receipt(t, cl, k.hash); r.Status != 1 || r.BlockNumber.Uint64() != k.block {
				t.Fatalf("round %d: %s has status %d in block %d, was in %d", round, k.hash, r.Status, r.BlockNumber, k.block)
			}
		}
		mined, err := cl.NonceAt(t.Context(), crypto.PubkeyToAddress(key(GasKey).PublicKey), nil)
		if err != nil {
			t.Fatal(err)
		}
		if mined < uint64(len(known)) || mined > sent {
			t.Fatalf("round %d: %d mined, %d answered, %d sent", round, mined, len(known), sent)
		}
		if got := balance(t, cl, PayTo); got != int64(mined) {
			t.Fatalf("round %d: the seller has %d, %d payments are mined", round, got, mined)
		}
		for nonce := mined; ; nonce++ {
			tx := signedTx(t, key(GasKey), nonce, dollars(1).transfer(t, nonce%2 == 0, key(PayerKey)))
			sent = max(sent, nonce+1)
			if err := cl.SendTransaction(t.Context(), tx); err != nil {
				break // the process is gone
			}
			r, err := cl.TransactionReceipt(t.Context(), tx.Hash())
			if err != nil {
				break
			}
			known = append(known, answered{tx.Hash(), r.BlockNumber.Uint64()})
			if nonce == mined { // from the first answer on, however long that took
				time.AfterFunc(time.Duration(rand.IntN(250))*time.Millisecond, kill)
			}
		}
		kill()
		cl.Close()
	}
	t.Logf("%d kills, %d payments answered, %d sent, none lost", kills, len(known), sent)
	if len(known) < kills {
		t.Errorf("only %d payments in %d rounds: the test proves little", len(known), kills)
	}
}
