package wiring

import (
	"errors"

	"governance.internal/shared/audit"
	"governance.internal/shared/audit/auditor"
	"governance.internal/shared/awsapi/dynamo"
	"governance.internal/shared/config"
	"governance.internal/shared/wiring/environment"
	"governance.internal/shared/x402"
)

// Tools holds the dependencies of the tool server.
type Tools struct {
	Config  config.Config
	Audit   audit.Store
	Auditor *auditor.Auditor // of Audit
	Gate    *x402.Gate       // sells tools; nil if none is sold
	Close   func() error
}

// NewTools opens the stores of the tool server.
func NewTools(c config.Config) (*Tools, error) {
	err := config.Need(
		config.Setting{Name: "BASE_URL", Value: c.BaseURL},
		config.Setting{Name: "DATA_DIR", Value: c.DataDir},
	)
	if err != nil {
		return nil, err
	}

	if c.PaidTools {
		paid, err := NewVerifying(c)
		if err != nil {
			return nil, err
		}
		return &Tools{
			Config:  c,
			Audit:   paid.Audit,
			Auditor: paid.Auditor,
			Gate:    paid.Gate,
			Close:   paid.Close,
		}, nil
	}

	trail, err := openTrail(c, c.BaseURL)
	if err != nil {
		return nil, err
	}

	auditor, err := openAuditor(c, trail, c.BaseURL)
	if err != nil {
		return nil, errors.Join(err, trail.Close())
	}

	return &Tools{
		Config:  c,
		Audit:   trail,
		Auditor: auditor,
		Close:   trail.Close,
	}, nil
}

// StateService returns the service of the table that the tasks share.
func StateService(c config.Config) (dynamo.Service, error) {
	a, err := environment.OpenAccount(c.DynamoDBEndpoint)
	return dynamo.Service{
		Region:      a.Region,
		Credentials: a.Credentials,
		Endpoint:    a.Endpoint,
	}, err
}

// ToolsFromEnvironment is [NewTools] of this process's environment.
func ToolsFromEnvironment() (*Tools, error) {
	c, err := environment.Load()
	if err != nil {
		return nil, err
	}
	return NewTools(c)
}
