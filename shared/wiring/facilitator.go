package wiring

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"governance.internal/shared/config"
	"governance.internal/shared/kms"
	"governance.internal/shared/payments"
	"governance.internal/shared/wiring/environment"
	"governance.internal/shared/x402/evm"
	"governance.internal/shared/x402/facilitator"
)

// facilitatorSettings are the settings that a settlement requires besides the nodes.
func facilitatorSettings(c config.Config) []config.Setting {
	if len(c.FacilitatorURLs) == 0 {
		return []config.Setting{{Name: "GAS_KEY_FILE, GAS_KEY_KMS or GAS_KEY", Value: c.GasKeyFile + c.GasKeyKMS + c.GasKey}}
	}
	for _, address := range c.FacilitatorURLs {
		if isCDP(address) {
			return []config.Setting{{Name: "CDP_KEY_ID", Value: c.CDPKeyID}, {Name: "CDP_KEY_SECRET", Value: c.CDPKeySecret}}
		}
	}
	return nil
}

func isCDP(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Hostname() == facilitator.CDPHost
}

// openFacilitator opens the facilitators of the configuration, or else the gas wallet,
// whose address it also returns.
func openFacilitator(c config.Config, chain *evm.Chain) (settles payments.Facilitator, gasWallet string, err error) {
	if len(c.FacilitatorURLs) == 0 {
		wallet, err := openWallet(c)
		if err != nil {
			return nil, "", err
		}
		return facilitator.NewOnchain(chain, wallet), wallet.Address(), nil
	}

	var servers []facilitator.Server
	for i, address := range c.FacilitatorURLs {
		server := facilitator.Server{URL: address}
		switch {
		case isCDP(address):
			key, err := facilitator.ParseCDPKey(c.CDPKeyID, c.CDPKeySecret)
			if err != nil {
				return nil, "", err
			}
			server.Token = key.Token
		case i < len(c.FacilitatorTokens) && c.FacilitatorTokens[i] != "":
			server.Token = facilitator.BearerToken(c.FacilitatorTokens[i])
		}

		servers = append(servers, server)
	}

	settles, err = facilitator.NewRemote(chain, servers, time.Now, facilitator.Patience)
	return settles, "", err
}

func openWallet(c config.Config) (evm.Wallet, error) {
	if c.GasKey != "" {
		key, err := evm.ParseKey(c.GasKey)
		if err != nil {
			return nil, fmt.Errorf("configuration: GAS_KEY: %w", err)
		}
		return key, nil
	}

	if c.GasKeyKMS == "" {
		return evm.LoadKey(c.GasKeyFile)
	}
	a, err := environment.OpenAccount("")
	if err != nil {
		return nil, err
	}

	ctx, cancel := context.WithTimeout(context.Background(), kmsLimit)
	defer cancel()

	return evm.NewRemoteKey(ctx, kms.Open(c.GasKeyKMS, keyService(a)))
}

// keyService returns the options of the KMS client.
func keyService(a environment.Account) kms.Options {
	return kms.Options{
		Region:      a.Region,
		Credentials: a.Credentials,
		Endpoint:    a.Endpoint,
	}
}

// kmsLimit is the time to fetch the gas wallet's public key at the start.
const kmsLimit = 5 * time.Second
