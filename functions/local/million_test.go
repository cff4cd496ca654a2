package main

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/dynamo"
	"governance.internal/shared/audit/memory"
	"governance.internal/shared/audit/sealed"
	"governance.internal/shared/dynamotest"
	"governance.internal/shared/objects/dir"
	"governance.internal/shared/wiring"
)

const million = 1_000_000

// readUnits is a way to a table that counts what strongly consistent reads cost, at
// most: a unit for each 4 KB that an answer has, items and wrapping.
func readUnits(t *testing.T, endpoint string) (through string, units *atomic.Int64) {
	t.Helper()
	target, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	units = new(atomic.Int64)
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ModifyResponse = func(resp *http.Response) error {
		_, operation, _ := strings.Cut(resp.Request.Header.Get("X-Amz-Target"), ".")
		switch operation {
		case "GetItem", "BatchGetItem", "Query":
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				return err
			}
			resp.Body = io.NopCloser(bytes.NewReader(body))
			units.Add(int64(len(body)+4095) / 4096)
		}
		return nil
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL, units
}

// inMemory has the lines of a chain in memory and its index in a table.
type inMemory struct {
	*memory.Store
	sealed.Index
}

// sealMillion makes a chain of a million entries whose segments are in a folder and
// whose end, head and index are in a table, as the functions leave them.
func sealMillion(t *testing.T, data, endpoint, table string) {
	t.Helper()
	chain, err := memory.New(wiring.ChainName, memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const batch = 1000
	for n := 2; n <= million; n += batch { // the genesis entry is there
		var events []audit.Event
		for i := n; i < min(n+batch, million+1); i++ {
			events = append(events, audit.Event{
				ID: fmt.Sprintf("load-%020d", i), Actor: "0x52908400098527886E0F7030069857D2E4169EE7", Type: "payment.settled",
				Payload: map[string]any{"amount": 5000, "path": "/x402/verify-audit", "tx": fmt.Sprintf("0x%064x", i)},
			})
		}
		if _, err := chain.Append(t.Context(), events...); err != nil {
			t.Fatal(err)
		}
	}
	index, err := dynamo.Open(wiring.ChainName, dynamo.Options{Table: table, Endpoint: endpoint, Limit: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	objects, err := dir.Open(filepath.Join(data, "segments"))
	if err != nil {
		t.Fatal(err)
	}
	segments, err := sealed.Open(wiring.ChainName, inMemory{chain, index}, objects).Seal(t.Context())
	if err != nil || len(segments) != 61 {
		t.Fatalf("%d segments (%v)", len(segments), err)
	}
	putEnd(t, chain, segments[len(segments)-1].Last, endpoint, table)
}

// putEnd puts what is not sealed into the table, in the shape that package dynamo documents.
func putEnd(t *testing.T, chain audit.Store, after uint64, endpoint, table string) {
	t.Helper()
	head, err := chain.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text := func(s string) map[string]any { return map[string]any{"S": s} }
	binary := func(b []byte) map[string]any { return map[string]any{"B": base64.StdEncoding.EncodeToString(b)} }
	items := []dynamotest.Item{{
		"pk": text("h#" + wiring.ChainName), "sk": text("head"), "seq": map[string]any{"N": strconv.FormatUint(head.Seq, 10)},
		"hash": binary(head.Hash[:]), "time": text(head.Time.Format(time.RFC3339Nano)),
	}}
	const block = 90
	for first := after + 1; first <= head.Seq; first += block {
		var lines []byte
		for b, err := range chain.Blocks(t.Context(), first, min(first+block-1, head.Seq)) {
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, b.Lines...)
		}
		items = append(items, dynamotest.Item{
			"pk": text(fmt.Sprintf("c#%s#%d", wiring.ChainName, (first-1)/65536)), "sk": text(fmt.Sprintf("%016d", first)), "b": binary(lines),
		})
	}
	dynamotest.Put(t, endpoint, table, items)
}

// With a million sealed entries a paid verification takes at most 200 read units, proofs
// included, and its time is printed. The walk finds one flipped byte, which each
// verification then reports.
func TestAMillionSealedEntries(t *testing.T) {
	endpoint, table := dynamotest.Table(t, "pk", "sk")
	data := t.TempDir()
	sealMillion(t, data, endpoint, table)
	through, units := readUnits(t, endpoint)
	settings := map[string]string{"AUDIT_TABLE": table, "DYNAMODB_ENDPOINT": through}
	r := startWith(t, data, func(name string) (string, bool) {
		if value, ok := settings[name]; ok {
			return value, true
		}
		return os.LookupEnv(name)
	})
	auditor := r.service.paid.Auditor
	began := time.Now()
	if report, err := auditor.Walk(t.Context()); err != nil || !report.Valid || report.Entries < million {
		t.Fatalf("%+v (%v)", report, err)
	}
	t.Logf("figure: full walk of a million sealed entries %v", time.Since(began).Round(time.Millisecond))

	first := buyVerification(t, r.url, "")
	for what, query := range map[string]string{"verdict": "", "verdict and both proofs": asQuery(first) + "&seq=500000"} {
		units.Store(0)
		began := time.Now()
		v := buyVerification(t, r.url, query)
		took, read := time.Since(began), units.Load()
		if !v.Valid || v.Mode != "incremental" || v.Entries < million || v.Sampled == nil || v.Checkpoint == "" {
			t.Errorf("%s: %+v", what, v)
		}
		t.Logf("figure: paid %s over a million sealed entries %v, at most %d read units", what, took.Round(time.Millisecond), read)
		if read > 200 {
			t.Errorf("%s: %d read units", what, read)
		}
	}

	const at = 333_333
	flipByte(t, data, at)
	if report, err := auditor.Walk(t.Context()); err != nil || report.Valid || *report.BrokenAt != at || report.Reason != audit.HashMismatch {
		t.Errorf("%+v (%v)", report, err)
	}
	if v := buyVerification(t, r.url, ""); v.Valid || v.Reason == nil || *v.Reason != "hash_mismatch" || v.Checkpoint != "" {
		t.Errorf("%+v", v)
	}
}

// flipByte changes one bit of an entry's payload in its segment.
func flipByte(t *testing.T, data string, seq uint64) {
	t.Helper()
	first := (seq-1)/16_384*16_384 + 1
	path := filepath.Join(data, "segments", wiring.ChainName, "seg", fmt.Sprintf("%016d-%016d.jsonl", first, first+16_383))
	lines, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	place := bytes.Index(lines, fmt.Appendf(nil, `"tx":"0x%064x"`, seq))
	lines[place+20] ^= 1
	if err := errors.Join(os.Chmod(path, 0o600), os.WriteFile(path, lines, 0o600)); err != nil {
		t.Fatal(err)
	}
}
