package auditor

import "context"

// Sink is a place out of reach of who can write to the chain.
type Sink interface {
	Name() string
	Put(ctx context.Context, checkpoint []byte) error
}
