package dynamo_test

import (
	"testing"
	"time"

	"governance.internal/functions/toolserver/cluster/dynamo"
	"governance.internal/functions/toolserver/dispatch"
	"governance.internal/functions/toolserver/dispatch/slotstest"
	client "governance.internal/shared/awsapi/dynamo"
	"governance.internal/shared/dynamotest"
)

func TestSlots(t *testing.T) {
	slotstest.Run(t, func(t *testing.T) dispatch.Slots {
		endpoint, table := dynamotest.Table(t, "pk", "sk")
		return dynamo.Slots{Store: dynamo.Open(table, client.Service{Endpoint: endpoint, Attempt: 20 * time.Second})}
	})
}
