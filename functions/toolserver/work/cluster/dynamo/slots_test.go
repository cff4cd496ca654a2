package dynamo_test

import (
	"testing"
	"time"

	"governance.internal/functions/toolserver/work/cluster/dynamo"
	"governance.internal/functions/toolserver/work/dispatch"
	"governance.internal/functions/toolserver/work/dispatch/slotstest"
	client "governance.internal/shared/awsapi/dynamo"
	"governance.internal/shared/dynamotest"
)

func TestSlots(t *testing.T) {
	slotstest.Run(t, func(t *testing.T) dispatch.Slots {
		endpoint, table := dynamotest.Table(t, "pk", "sk")
		return dynamo.Slots{Store: dynamo.Open(table, client.Service{Endpoint: endpoint, Attempt: 20 * time.Second})}
	})
}
