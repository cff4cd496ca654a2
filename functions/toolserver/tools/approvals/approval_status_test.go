package approvals_test

import (
	"context"
	"testing"
	"time"

	"governance.internal/functions/toolserver/tools/approvals"
)

func TestTheStatusFollowsTheDecision(t *testing.T) {
	w := governed(t)
	asked := request(w, `{"agent":"a","paths":["go.mod","docs/adr/1.md"],"reason":"why","ttl_s":60}`)
	status := func(id string) string {
		var answer approvals.Status
		w.Call(approvals.ApprovalStatus(w.Gate), `{"approval_id":"`+id+`"}`, &answer)
		return answer.Status
	}
	if _, err := w.Approvals.Decide(context.Background(), asked.Requests[1].ID, "a person", false); err != nil {
		t.Fatal(err)
	}
	if status(asked.ID) != "pending" || status(asked.Requests[1].ID) != "denied" {
		t.Errorf("%s, %s", status(asked.ID), status(asked.Requests[1].ID))
	}
	w.Time = w.Time.Add(time.Hour)
	if status(asked.ID) != "expired" {
		t.Errorf("later: %s", status(asked.ID))
	}
	if _, err := w.Approvals.Decide(context.Background(), asked.ID, "a person", true); err == nil {
		t.Error("an expired request was granted")
	}
	var list approvals.Status
	w.Call(approvals.ApprovalStatus(w.Gate), `{}`, &list)
	if len(list.Approvals) != 2 {
		t.Errorf("%+v", list)
	}
	if e := w.Refused(approvals.ApprovalStatus(w.Gate), `{"approval_id":"none"}`); e.Code != "not_found" {
		t.Errorf("%v", e)
	}
}
