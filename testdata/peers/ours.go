package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/file"
)

const size = 300 // bytes of an event

// event is what all systems record under number n.
func event(n int) audit.Event {
	text := fmt.Sprintf("%020d", n)
	e := audit.Event{ID: text, Actor: "0x52908400098527886E0F7030069857D2E4169EE7", Type: "payment.settled"}
	e.Payload = map[string]any{"text": text + strings.Repeat("x", size-len(text)-bytesAround)}
	return e
}

// bytesAround is what an event has beside the text of its payload.
const bytesAround = len(`{"actor":"0x52908400098527886E0F7030069857D2E4169EE7","event":"payment.settled","id":"00000000000000000000","payload":{"text":""}}`)

// encoding gives the bytes of the first n events for a system that records bytes.
type encoding func(n int) ([][]byte, error)

// entries are the very bytes that an entry of ours hashes: the event with its time,
// its number and its link.
func entries(n int) ([][]byte, error) {
	all := make([][]byte, n)
	var head audit.Head
	var line []byte
	for i := range all {
		d, err := audit.NewDraft(event(i))
		if err != nil {
			return nil, err
		}
		var e audit.Entry
		line, e = head.Next(line[:0], d, time.Now())
		body, _, _ := bytes.Cut(line, []byte(`,"hash":"`))
		all[i], head = append(bytes.Clone(body), '}'), e.Head()
		if sha256.Sum256(all[i]) != e.Hash {
			return nil, fmt.Errorf("entry %d is hashed over other bytes", i+1)
		}
	}
	return all, nil
}

// events are no more than what the caller said, of size bytes.
func events(n int) ([][]byte, error) {
	all := make([][]byte, n)
	for i := range all {
		d, err := audit.NewDraft(event(i))
		if err != nil {
			return nil, err
		}
		all[i] = d.Content()
		if len(all[i]) != size {
			return nil, fmt.Errorf("an event has %d bytes, want %d", len(all[i]), size)
		}
	}
	return all, nil
}

// each calls do for the numbers below n from so many goroutines.
func each(callers, n int, do func(int) error) (result, error) {
	return timed(n, func() error {
		var next atomic.Int64
		var group errgroup.Group
		for range callers {
			group.Go(func() error {
				for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
					if err := do(i); err != nil {
						return err
					}
				}
				return nil
			})
		}
		return group.Wait()
	})
}

const chain = "peers"

func appendOurs(callers, n int) func(context.Context, string) (result, error) {
	return func(ctx context.Context, dir string) (result, error) {
		all := make([]audit.Event, n)
		for i := range all {
			all[i] = event(i)
		}
		s, err := file.Open(dir, chain, file.Options{})
		if err != nil {
			return result{}, err
		}
		r, err := each(callers, n, func(i int) error {
			_, err := s.Append(ctx, all[i])
			return err
		})
		if err != nil {
			return r, err
		}
		return r, s.Close()
	}
}

func verifyOurs(goroutines int) func(context.Context, string) (result, error) {
	return func(_ context.Context, dir string) (result, error) {
		return timed(stored, func() error {
			report, err := file.Verify(file.Path(dir, chain), audit.VerifyOptions{Parallelism: goroutines})
			if err == nil && (!report.Valid || report.Entries != stored+1) {
				err = fmt.Errorf("%d entries, reason %q", report.Entries, report.Reason)
			}
			return err
		})
	}
}
