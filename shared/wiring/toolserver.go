package wiring

import (
	"context"
	"os"

	"governance.internal/shared/audit"
	"governance.internal/shared/config"
)

// Tools is what the tool server depends on.
type Tools struct {
	Config config.Config
	Audit  audit.Store
	Verify Verify
	Close  func() error
}

// Verify verifies the audit chain against the heads that this service noted and
// further ones.
type Verify func(ctx context.Context, further ...audit.Anchor) (audit.Report, error)

// NewTools opens the stores of the tool server.
func NewTools(c config.Config) (*Tools, error) {
	if err := config.Need(config.Setting{Name: "BASE_URL", Value: c.BaseURL}, config.Setting{Name: "DATA_DIR", Value: c.DataDir}); err != nil {
		return nil, err
	}
	trail, err := openTrail(c, c.BaseURL)
	if err != nil {
		return nil, err
	}
	return &Tools{Config: c, Audit: trail, Verify: VerifyChain(trail, trail.Anchors), Close: trail.Close}, nil
}

// ToolsFromEnvironment is [NewTools] of this process's environment.
func ToolsFromEnvironment() (*Tools, error) {
	c, err := config.Load(os.LookupEnv)
	if err != nil {
		return nil, err
	}
	return NewTools(c)
}

// VerifyChain re-hashes a whole chain at every call.
func VerifyChain(store audit.Store, anchors func() []audit.Anchor) Verify {
	return func(ctx context.Context, further ...audit.Anchor) (audit.Report, error) {
		return audit.Verify(ctx, store, audit.VerifyOptions{Chain: ChainName, Anchors: append(anchors(), further...), Strict: true})
	}
}
