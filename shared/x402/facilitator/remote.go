package facilitator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"governance.internal/shared/catalog"
	"governance.internal/shared/payments"
	"governance.internal/shared/telemetry"
	"governance.internal/shared/x402"
	"governance.internal/shared/x402/evm"
)

// Patience is how long a facilitator may take for a settlement. A verification
// may take a third of it.
const Patience = 15 * time.Second

// idleConnections are kept to each facilitator: with the standard library's two,
// most payments under load would pay for a new connection.
const idleConnections = 64

// Remote implements payments.Facilitator with facilitators elsewhere (x402 core
// specification v2 section 7), the first of the list that works.
//
// They are asked to act and never believed: the events of the token on our own
// nodes say whether the money arrived. Which facilitator is asked to settle a
// payment is stored before it is asked, and no other one ever is.
type Remote struct {
	chain   *evm.Chain
	servers []*server
	now     func() time.Time
}

var _ payments.Facilitator = (*Remote)(nil)

// NewRemote settles through servers in order of preference and proves on chain.
// patience is [Patience] but in tests.
func NewRemote(chain *evm.Chain, servers []Server, now func() time.Time, patience time.Duration) (*Remote, error) {
	r := &Remote{chain: chain, now: now}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = idleConnections
	client := &http.Client{
		Transport: telemetry.Transport(transport),
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // a payment and a token go where they were sent
		},
	}
	for _, s := range servers {
		address, err := url.Parse(strings.TrimRight(s.URL, "/"))
		if err != nil || address.Host == "" {
			return nil, errors.New("FACILITATOR_URL: an address cannot be used") // its text may hold a key
		}
		r.servers = append(r.servers, &server{
			url:      address,
			token:    s.Token,
			client:   client,
			now:      now,
			patience: patience,
		})
	}

	if len(r.servers) == 0 {
		return nil, errors.New("FACILITATOR_URL: no address")
	}
	return r, nil
}

// Authentic implements payments.Facilitator.
func (r *Remote) Authentic(ctx context.Context, p payments.Payment) error {
	return r.chain.Authentic(ctx, p)
}

// Open implements payments.Facilitator.
func (r *Remote) Open(p payments.Payment, now time.Time) error {
	return r.chain.Open(p, now)
}

// Verify implements payments.Facilitator: the first facilitator that gives a
// verdict gives it for all.
func (r *Remote) Verify(ctx context.Context, p payments.Payment) error {
	q := r.question(p)
	_, err := r.first(func(s *server) error {
		if err := s.serves(ctx, p.Network); err != nil {
			return err
		}
		return s.verify(ctx, q)
	})
	return err
}

// RunsCode implements payments.Facilitator: the gas is the facilitator's, who looks
// after it.
func (r *Remote) RunsCode(context.Context, payments.Payment) (bool, error) {
	return false, nil
}

// Funds implements payments.Facilitator.
func (r *Remote) Funds(ctx context.Context, p payments.Payment) (int64, error) {
	return r.chain.Funds(ctx, p)
}

// first tries one server after the other until one succeeds or says Invalid.
// Those that failed lately come last.
func (r *Remote) first(try func(*server) error) (*server, error) {
	servers := slices.Clone(r.servers)
	now := r.now()
	slices.SortStableFunc(servers, func(a, b *server) int {
		return rank(a, now) - rank(b, now)
	})
	var failures []error
	for _, s := range servers {
		err := try(s)
		var invalid *payments.Invalid
		if err == nil || errors.As(err, &invalid) {
			return s, err
		}
		failures = append(failures, fmt.Errorf("facilitator %s: %w", s.name(), err))
	}

	return nil, errors.Join(failures...)
}

func rank(s *server, now time.Time) int {
	if s.breaker.trusted(now) {
		return 0
	}
	return 1
}

// question is a payment as facilitators read it.
func (r *Remote) question(p payments.Payment) question {
	terms := x402.Requirements{
		Scheme:            "exact",
		Network:           p.Network,
		Amount:            strconv.FormatInt(p.Amount, 10),
		Asset:             p.Asset,
		PayTo:             p.PayTo,
		MaxTimeoutSeconds: catalog.MaxTimeoutSecond,
		Extra: map[string]any{
			"name":    r.chain.Name,
			"version": r.chain.Version,
		},
	}

	payload := x402.WirePayload(p)
	if payload.Permit2Authorization != nil {
		terms.Extra["assetTransferMethod"] = payments.MethodPermit2
	}

	return question{
		X402Version:         2,
		PaymentRequirements: terms,
		PaymentPayload: x402.Payload{
			X402Version: 2,
			Accepted:    &terms,
			Payload:     payload,
		},
	}
}

// Settle implements payments.Facilitator. A payment that some facilitator was
// asked to settle is looked up first; that one is asked again only while the
// authorization is unused and open.
func (r *Remote) Settle(ctx context.Context, p payments.Payment, j payments.Journal) (payments.Settlement, error) {
	none := payments.Settlement{}
	instance, err := r.chain.Instance(ctx)
	if err != nil {
		return none, err
	}

	attempt := j.Attempt()
	if attempt.Begun() && attempt.Chain != instance {
		return none, chainLost(attempt)
	}

	if attempt.Begun() {
		if settlement, err := r.look(ctx, p, attempt.Hash); !errors.Is(err, evm.ErrNotMined) {
			return settlement, r.resumed(ctx, p, attempt, err)
		}
	} else {
		if uint64(r.now().Unix()) >= p.ValidBefore {
			return r.chain.Reconcile(ctx, p, false)
		}
		chosen, err := r.first(func(s *server) error {
			return s.serves(ctx, p.Network)
		})
		if err != nil {
			return none, err
		}

		attempt = payments.Attempt{Chain: instance, Facilitator: chosen.address()}
		if err := j.Record(ctx, attempt); err != nil {
			return none, err
		}
	}

	return r.ask(ctx, p, j, attempt)
}

// look reads what the chain knows: by the named transaction, then by the authorization
// itself.
func (r *Remote) look(ctx context.Context, p payments.Payment, hash string) (payments.Settlement, error) {
	if hash != "" {
		if settlement, ok := r.chain.Claimed(ctx, p, hash); ok {
			return settlement, nil
		}
	}
	return r.chain.Observe(ctx, p)
}

// resumed is the error of a settlement that an earlier call asked for.
func (r *Remote) resumed(ctx context.Context, p payments.Payment, attempt payments.Attempt, err error) error {
	var rejected *payments.Rejected
	if errors.As(err, &rejected) && attempt.Hash != "" {
		r.alarm(ctx, "a facilitator named a transaction and no money moved", p, attempt)
	}
	return pendingUnless(err, attempt)
}

// alarm reports to the operator that a facilitator and the chain contradict each other.
func (r *Remote) alarm(ctx context.Context, what string, p payments.Payment, attempt payments.Attempt) {
	slog.ErrorContext(ctx, what,
		"facilitator", hostOf(attempt.Facilitator),
		"transaction", attempt.Hash,
		"payment", p.Key().String())
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// ask lets the facilitator of an attempt settle and finds out what came of it.
func (r *Remote) ask(
	ctx context.Context,
	p payments.Payment,
	j payments.Journal,
	attempt payments.Attempt,
) (payments.Settlement, error) {
	at := slices.IndexFunc(r.servers, func(s *server) bool {
		return s.address() == attempt.Facilitator
	})
	if at < 0 { // it may still act, so no other one is asked
		r.alarm(ctx, "the facilitator of a payment is not configured any more", p, attempt)
		return payments.Settlement{}, &payments.Pending{Transaction: attempt.Hash}
	}

	said, failure := r.servers[at].settle(ctx, r.question(p))
	j.Sent()
	if failure != nil {
		slog.WarnContext(ctx, "facilitator gave no answer",
			"facilitator", r.servers[at].name(),
			"error", failure.Error(),
			"payment", p.Key().String())
	}

	refused := failure == nil &&
		!said.success &&
		said.reason != x402.ReasonPending
	settlement, err := r.look(ctx, p, cmp.Or(said.transaction, attempt.Hash))
	if err != nil &&
		said.transaction != "" &&
		said.transaction != attempt.Hash { // to find it by, however late
		attempt.Hash = said.transaction
		if err := j.Record(ctx, attempt); err != nil {
			return payments.Settlement{}, &payments.Pending{Transaction: attempt.Hash}
		}
	}

	if !refused && (failure == nil || perhapsAtWork(failure)) {
		settlement, err = r.await(ctx, p, attempt.Hash, settlement, err)
	}

	switch {
	case said.success && err != nil:
		r.alarm(ctx, "a facilitator said settled and the chain shows no transfer", p, attempt)
	case refused && err == nil:
		r.alarm(ctx, "a facilitator said failed and the money moved", p, attempt)
	case refused:
		slog.WarnContext(ctx, "facilitator refused to settle",
			"facilitator", r.servers[at].name(),
			"reason", said.reason,
			"payment", p.Key().String())
	}

	return settlement, pendingUnless(err, attempt)
}

// await looks again until the chain has decided or ctx ends.
func (r *Remote) await(
	ctx context.Context,
	p payments.Payment,
	hash string,
	settlement payments.Settlement,
	err error,
) (payments.Settlement, error) {
	for pause := 20 * time.Millisecond; ; pause = min(pause*2, time.Second) {
		var rejected *payments.Rejected
		if err == nil || errors.As(err, &rejected) {
			return settlement, err
		}
		select {
		case <-ctx.Done():
			return payments.Settlement{}, err
		case <-time.After(pause):
		}

		settlement, err = r.look(ctx, p, hash)
	}
}
