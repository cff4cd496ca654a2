// Package cluster lets several tasks serve one address. A session lives in the task
// that opened it; its id names that task, and a message that reaches another task is
// forwarded to it once, over the private network.
//
// Every task holds a lease in a table that all of them share. The forwarding address comes
// from the lease alone, never from the id. The id is sealed with a secret that only the
// tasks know, so that a forged id causes no read of the table.
package cluster

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Times of the leases.
const (
	leaseLife    = 15 * time.Second
	renewal      = 5 * time.Second
	remembered   = 5 * time.Second // how long a lease that was read is believed
	releaseLimit = 2 * time.Second
)

// Lease says that a task is alive and where the other tasks reach it.
type Lease struct {
	Task    string
	Address string // host:port on the private network
	Expires time.Time
}

// Table is what the tasks share.
type Table interface {
	// Secret gives the secret of all tasks; the first proposal becomes it.
	Secret(ctx context.Context, proposal string) (string, error)
	// Renew writes a lease over the task's former one.
	Renew(ctx context.Context, l Lease) error
	// Lease reads the lease of a task; found is false if it has none.
	Lease(ctx context.Context, task string) (l Lease, found bool, err error)
	// Release deletes the lease of a task that ends.
	Release(ctx context.Context, task string) error
}

// Node is this task among the others. It is safe for concurrent use.
type Node struct {
	table   Table
	task    string
	address string
	key     []byte
	now     func() time.Time
	client  *http.Client

	mu    sync.Mutex
	known map[string]Lease // read not long ago
	read  map[string]time.Time
}

// Join makes this process a task that the others reach at an address. [Node.Keep] renews
// its lease.
func Join(ctx context.Context, table Table, address string, now func() time.Time, random io.Reader) (*Node, error) {
	var raw [40]byte
	if _, err := io.ReadFull(random, raw[:]); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}

	secret, err := table.Secret(ctx, base64.RawURLEncoding.EncodeToString(raw[8:]))
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}

	n := &Node{
		table:   table,
		task:    fmt.Sprintf("%x", raw[:8]),
		address: address,
		key:     []byte(secret),
		now:     now,
		client:  newClient(),
		known:   map[string]Lease{},
		read:    map[string]time.Time{},
	}
	if err := n.renew(ctx); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}

	return n, nil
}

func (n *Node) renew(ctx context.Context) error {
	return n.table.Renew(ctx, Lease{n.task, n.address, n.now().Add(leaseLife)})
}

// Keep renews the lease until ctx ends, and then releases it.
func (n *Node) Keep(ctx context.Context) {
	ticker := time.NewTicker(renewal)
	defer ticker.Stop()

	for {
		select {
		case <-ticker.C:
			if err := n.renew(ctx); err != nil && ctx.Err() == nil {
				slog.WarnContext(ctx, "cluster: lease not renewed", "error", err.Error())
			}
		case <-ctx.Done():
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseLimit)
			defer cancel()
			if err := n.table.Release(ctx, n.task); err != nil {
				slog.WarnContext(ctx, "cluster: lease not released", "error", err.Error())
			}
			return
		}
	}
}

// SessionID names a session of this task: task, random part and seal, separated by
// points.
func (n *Node) SessionID(random string) string {
	named := n.task + "." + random
	return named + "." + n.seal("session", named)
}

// owner is the task that an id names; ok is false if no task made it.
func (n *Node) owner(id string) (task string, ok bool) {
	at := strings.LastIndexByte(id, '.')
	if at < 0 ||
		len(id) > 256 ||
		!hmac.Equal([]byte(id[at+1:]), []byte(n.seal("session", id[:at]))) {
		return "", false
	}
	task, _, _ = strings.Cut(id, ".")
	return task, true
}

// seal is a code that only the tasks can make (HMAC-SHA256, cut to 128 bits).
func (n *Node) seal(purpose, text string) string {
	mac := hmac.New(sha256.New, n.key)
	mac.Write([]byte(purpose + "\n" + text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
}

// lease finds a task that is alive.
func (n *Node) lease(ctx context.Context, task string) (Lease, bool, error) {
	now := n.now()
	n.mu.Lock()
	l, known := n.known[task]
	fresh := known && now.Sub(n.read[task]) < remembered
	n.mu.Unlock()

	if !fresh {
		var err error
		if l, known, err = n.table.Lease(ctx, task); err != nil {
			return l, false, err
		}
		n.remember(l, known, now)
	}
	return l, known && now.Before(l.Expires), nil
}

// mostKnown limits the cached leases. It is above any number of tasks.
const mostKnown = 1000

func (n *Node) remember(l Lease, found bool, now time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.known) >= mostKnown {
		clear(n.known)
		clear(n.read)
	}

	if found {
		n.known[l.Task], n.read[l.Task] = l, now
	}
}

func (n *Node) forget(task string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.known, task)
	delete(n.read, task)
}
