package x402

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"governance.internal/shared/httpapi"
	"governance.internal/shared/payments"
)

// unpaid answers a request without a payment: a payer who signs in gets what was
// bought before, everybody else the terms.
func (g *Gate) unpaid(w http.ResponseWriter, r *http.Request, terms Terms, queryErr error) {
	if queryErr != nil {
		g.challenge(w, r, terms, unpaidExplanation, queryErr.Error())
		return
	}
	answer, found, err := g.returning(r, terms)
	var invalid *payments.Invalid
	switch {
	case found:
		httpapi.Response(answer).Write(w)
	case err == nil:
		g.plainChallenge(w, r, terms)
	case errors.As(err, &invalid):
		g.challenge(w, r, terms, unpaidExplanation, invalid.Message)
	default:
		(&sale{gate: g, terms: terms, r: r}).refuse(w, err)
	}
}

// challenge answers 402: the terms as header and, equal, as body. Who asks for version 1
// gets the body of that version alone.
func (g *Gate) challenge(w http.ResponseWriter, r *http.Request, terms Terms, reason, message string) {
	answer, err := g.challengeIn(formOf(r, terms), terms, reason, message)
	if err != nil {
		httpapi.WriteError(w, r, err)
		return
	}
	answer.Write(w)
}

// form is how the body of a 402 shows the terms.
type form int

const (
	formJSON form = iota
	formV1        // version 1 clients ask for their form
	formPage      // browsers get a page
)

func formOf(r *http.Request, terms Terms) form {
	switch {
	case wantsV1(r):
		return formV1
	case terms.Endpoint.Method == http.MethodGet && prefersHTML(r.Header.Values("Accept")):
		return formPage
	}
	return formJSON
}

func wantsV1(r *http.Request) bool {
	return r.URL.RawQuery != "" && r.URL.Query().Get("x402Version") == "1" || strings.TrimSpace(r.Header.Get(HeaderVersion)) == "1"
}

func (g *Gate) challengeIn(f form, terms Terms, reason, message string) (httpapi.Response, error) {
	none := httpapi.Response{}
	extensions, err := terms.extensions(g.Signer, g.Now())
	if err != nil {
		return none, err
	}
	if g.Accounts != nil && !terms.Tool {
		extensions[extensionSignIn] = terms.signInExtension(g.Now())
	}
	required := terms.Required(reason, message, extensions)
	var answer httpapi.Response
	switch f {
	case formV1:
		answer, err = httpapi.JSONStatus(http.StatusPaymentRequired, terms.RequiredV1(reason, message, extensions))
	case formPage:
		answer, err = g.page(terms, required)
	default:
		answer, err = httpapi.JSONStatus(http.StatusPaymentRequired, required)
	}
	if err != nil {
		return none, err
	}
	answer.Header.Set("Vary", "Accept, "+HeaderVersion)
	if f == formV1 { // the header is of version 2, and clients that see it do not look at the body
		return answer, nil
	}
	header, err := EncodeHeader(required)
	if err != nil {
		return none, err
	}
	answer.Header.Set(HeaderRequired, header)
	return answer, nil
}

// plainChallenge is the answer to a request that brings nothing. Directories and
// crawlers ask for it more often than anybody pays, so it is made, and its offer
// signed, once in a while only.
func (g *Gate) plainChallenge(w http.ResponseWriter, r *http.Request, terms Terms) {
	key := challengeKey{terms.Resource, formOf(r, terms)}
	now := g.Now()
	answer, ok := g.unpaidAnswers.get(key, now)
	if !ok {
		var err error
		if answer, err = g.challengeIn(key.form, terms, unpaidExplanation, ""); err != nil {
			httpapi.WriteError(w, r, err)
			return
		}
		g.unpaidAnswers.put(key, answer, now)
	}
	answer.Write(w)
}

const (
	challengeLife  = 30 * time.Second // an offer and a sign-in are good for minutes
	mostChallenges = 256              // a caller chooses the amount of a tip, and each is another offer
)

type challengeKey struct {
	resource string
	form     form
}

type madeChallenge struct {
	answer httpapi.Response
	until  time.Time
}

// challengeCache keeps the answers to requests without a payment. The zero value
// is empty.
type challengeCache struct {
	mu   sync.RWMutex
	made map[challengeKey]madeChallenge
}

func (c *challengeCache) get(key challengeKey, now time.Time) (httpapi.Response, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	made, ok := c.made[key]
	return made.answer, ok && now.Before(made.until)
}

func (c *challengeCache) put(key challengeKey, answer httpapi.Response, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made == nil || len(c.made) >= mostChallenges {
		c.made = map[challengeKey]madeChallenge{}
	}
	c.made[key] = madeChallenge{answer, now.Add(challengeLife)}
}
