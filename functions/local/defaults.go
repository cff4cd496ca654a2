package main

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"

	"governance.internal/functions/local/devchain"
	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/shared/config"
	"governance.internal/shared/x402/evm"
)

// Defaults of the commands.
const (
	standardAddr = "127.0.0.1:8402"
	defaultData  = workspace.DataDir
)

// defaultAddr is where the service listens and where the commands look for it: the value of
// GOVERNANCE_ADDR, or the standard address.
func defaultAddr() string {
	return cmp.Or(os.Getenv("GOVERNANCE_ADDR"), standardAddr)
}

// defaultBase is the base URL of the service at the default address.
func defaultBase() string {
	_, port, err := net.SplitHostPort(defaultAddr())
	if err != nil {
		return "http://" + defaultAddr()
	}
	return "http://localhost:" + port
}

// localDefaults fills in the settings of a laptop. It uses the public development keys
// only if every RPC address is a development chain on this machine: on a real node
// any reader of these keys could take the money.
func localDefaults(ctx context.Context, c config.Config, o options, addr net.Addr) (config.Config, error) {
	c.DataDir = o.data
	c.Workspace = o.workspace
	if c.BaseURL == "" {
		_, port, err := net.SplitHostPort(addr.String())
		if err != nil {
			return c, err
		}
		c.BaseURL = "http://localhost:" + port
	}

	if play, err := allPlay(ctx, c.RPCURLs); err != nil || !play {
		return c, err
	}
	c.DevelopmentChain = true
	c.GasFeeCap = nil // play money
	c, err := payToDefault(c)
	if err != nil {
		return c, err
	}
	if len(c.ERC6492Factories) == 0 {
		c.ERC6492Factories = []string{devchain.WalletFactory.Hex()}
	}

	if c.GasKeyFile == "" {
		c.GasKeyFile = filepath.Join(o.data, "dev-gas.key")
		return c, os.WriteFile(c.GasKeyFile, []byte(devchain.GasKey+"\n"), 0o600)
	}

	return c, nil
}

// payToDefault sets the seller of the development chain if PAY_TO is not set.
func payToDefault(c config.Config) (config.Config, error) {
	if c.PayTo != "" || !allLoopback(c.RPCURLs) {
		return c, nil
	}
	key, err := evm.ParseKey(devchain.PayToKey)
	if err != nil {
		return c, err
	}

	c.PayTo = key.Address()
	return c, nil
}

// allPlay reports whether all nodes are development chains of this machine.
func allPlay(ctx context.Context, urls []string) (bool, error) {
	if !allLoopback(urls) {
		return false, nil
	}
	for _, url := range urls {
		if play, err := devchain.Is(ctx, url); err != nil || !play {
			return false, err
		}
	}
	return true, nil
}

func allLoopback(urls []string) bool {
	for _, text := range urls {
		u, err := url.Parse(text)
		if err != nil || !isLoopback(u.Hostname()) {
			return false
		}
	}
	return true
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// devPayer is the development account that buys, with its 1,000 dollars.
func devPayer() (*evm.Key, error) {
	key, err := evm.ParseKey(devchain.PayerKey)
	if err != nil {
		return nil, fmt.Errorf("development payer: %w", err)
	}
	return key, nil
}
