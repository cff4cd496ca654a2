package wiring

import (
	"errors"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/auditor"
	"governance.internal/shared/config"
	"governance.internal/shared/environment"
)

// Tools is what the tool server depends on.
type Tools struct {
	Config  config.Config
	Audit   audit.Store
	Auditor *auditor.Auditor // of Audit
	Close   func() error
}

// NewTools opens the stores of the tool server.
func NewTools(c config.Config) (*Tools, error) {
	if err := config.Need(config.Setting{Name: "BASE_URL", Value: c.BaseURL}, config.Setting{Name: "DATA_DIR", Value: c.DataDir}); err != nil {
		return nil, err
	}
	trail, err := openTrail(c, c.BaseURL)
	if err != nil {
		return nil, err
	}
	auditor, err := openAuditor(c, trail, c.BaseURL)
	if err != nil {
		return nil, errors.Join(err, trail.Close())
	}
	return &Tools{Config: c, Audit: trail, Auditor: auditor, Close: trail.Close}, nil
}

// ToolsFromEnvironment is [NewTools] of this process's environment.
func ToolsFromEnvironment() (*Tools, error) {
	c, err := environment.Load()
	if err != nil {
		return nil, err
	}
	return NewTools(c)
}
