// Package wiring builds the dependencies of a function from the configuration. It
// is the only place where adapters are chosen. Each constructor links only what it
// uses, so a function that sells nothing carries no payment code.
package wiring

import (
	"governance.internal/shared/catalog"
	"governance.internal/shared/config"
	"governance.internal/shared/payments"
	"governance.internal/shared/wiring/environment"
)

// Site returns the data of this deployment for the catalogue's documents.
func Site(c config.Config) (catalog.Site, error) {
	err := config.Need(
		config.Setting{Name: "BASE_URL", Value: c.BaseURL},
		config.Setting{Name: "PAY_TO", Value: c.PayTo},
	)
	return catalog.Site{
		BaseURL:      c.BaseURL,
		Network:      c.Network,
		Asset:        c.Asset,
		AssetName:    c.AssetName,
		AssetVersion: c.AssetVersion,
		PayTo:        c.PayTo,
		Signer:       c.SignerAddress,
		NoPermit2:    len(c.FacilitatorURLs) > 0, // few facilitators accept it, and one that batches calls leaves no proof
		Development:  c.DevelopmentChain,
	}, err
}

// SiteFromEnvironment is [Site] of this process's environment.
func SiteFromEnvironment() (catalog.Site, error) {
	c, err := environment.Load()
	if err != nil {
		return catalog.Site{}, err
	}
	return Site(c)
}

// PaidFromEnvironment is [NewPaid] of this process's environment.
func PaidFromEnvironment() (*Paid, error) {
	c, err := environment.Load()
	if err != nil {
		return nil, err
	}
	return NewPaid(c)
}

// VerifyingFromEnvironment is [NewVerifying] of this process's environment.
func VerifyingFromEnvironment() (*Paid, error) {
	c, err := environment.Load()
	if err != nil {
		return nil, err
	}
	return NewVerifying(c)
}

// PaymentsFromEnvironment is [NewPayments] of this process's environment.
func PaymentsFromEnvironment() (payments.Store, error) {
	c, err := environment.Load()
	if err != nil {
		return nil, err
	}
	return NewPayments(c)
}
