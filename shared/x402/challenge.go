package x402

import (
	"errors"
	"maps"
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
		g.challenge(w, r, terms, unpaidExplanation, "")
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
	return r.URL.RawQuery != "" && r.URL.Query().Get("x402Version") == "1" ||
		strings.TrimSpace(r.Header.Get(HeaderVersion)) == "1"
}

func (g *Gate) challengeIn(f form, terms Terms, reason, message string) (httpapi.Response, error) {
	none := httpapi.Response{}
	extensions, err := g.extensions(terms)
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

// extensions are those of a challenge but the sign-in, whose nonce is of one challenge
// alone. Directories and crawlers ask more often than anybody pays, so the offer is
// signed once in a while only.
func (g *Gate) extensions(terms Terms) (map[string]any, error) {
	now := g.Now()
	if made, ok := g.offers.get(terms.Resource, now); ok {
		return maps.Clone(made), nil
	}
	made, err := terms.extensions(g.Signer, now)
	if err != nil {
		return nil, err
	}

	g.offers.put(terms.Resource, made, now)
	return maps.Clone(made), nil
}

const (
	offerReuse = 30 * time.Second // an offer is good for an hour
	mostOffers = 256              // a caller chooses the amount of a tip, and each is another offer
)

type madeOffer struct {
	extensions map[string]any
	until      time.Time
}

// offerCache keeps extensions by their resource. The zero value is empty.
type offerCache struct {
	mu   sync.RWMutex
	made map[string]madeOffer
}

func (c *offerCache) get(resource string, now time.Time) (map[string]any, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	made, ok := c.made[resource]
	return made.extensions, ok && now.Before(made.until)
}

func (c *offerCache) put(resource string, extensions map[string]any, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made == nil || len(c.made) >= mostOffers {
		c.made = map[string]madeOffer{}
	}
	c.made[resource] = madeOffer{extensions, now.Add(offerReuse)}
}
