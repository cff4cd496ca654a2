package memory

import (
	"testing"

	"governance.internal/shared/payments"
	"governance.internal/shared/payments/paymentstest"
)

func TestStore(t *testing.T) {
	paymentstest.Run(t, func(*testing.T) payments.Store { return New() })
}
