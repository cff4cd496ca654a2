package audit

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/mcp/tool"
	"governance.internal/shared/audit"
)

func verifyWith(t *testing.T, arguments string, verify Verify) tool.Result {
	t.Helper()
	return VerifyAuditChain(verify).Run(t.Context(), &tool.Call{Arguments: json.RawMessage(arguments)})
}

// A head that the caller noted earlier becomes an anchor of the verification.
func TestVerificationIsHeldAgainstWhatTheCallerNoted(t *testing.T) {
	hash := strings.Repeat("ab", 32)
	for arguments, anchors := range map[string]int{`{}`: 0, `{"from":3}`: 0, `{"expect_entries":7}`: 1, `{"expect_head":"` + hash + `"}`: 1, `{"expect_head":"` + hash + `","expect_entries":7}`: 1} {
		var given []audit.Anchor
		result := verifyWith(t, arguments, func(_ context.Context, further ...audit.Anchor) (audit.Report, error) {
			given = further
			return audit.Report{Valid: true, Entries: 7}, nil
		})
		if result.IsError || len(given) != anchors {
			t.Errorf("%s: %d anchors, want %d (%+v)", arguments, len(given), anchors, result.Err)
		}
	}
	for _, arguments := range []string{`{"expect_head":"` + hash[1:] + `"}`, `{"expect_head":"` + strings.ToUpper(hash) + `"}`, `{"expect_entries":0}`, `{"from":0}`, `{"from":"1"}`} {
		if result := verifyWith(t, arguments, nil); result.Err == nil || result.Err.Code != "invalid_argument" {
			t.Errorf("%s: %+v", arguments, result.Err)
		}
	}
}

func TestABrokenChainIsAnAnswerAndAnUnreadableOneIsNone(t *testing.T) {
	at := uint64(4)
	broken := verifyWith(t, `{}`, func(context.Context, ...audit.Anchor) (audit.Report, error) {
		return audit.Report{Entries: 3, BrokenAt: &at, Reason: "hash_mismatch"}, nil
	})
	var v Verification
	if err := json.Unmarshal(broken.Structured, &v); err != nil || broken.IsError || v.Valid || *v.BrokenAt != 4 || *v.Reason != "hash_mismatch" || v.Head != nil {
		t.Errorf("%s (%v)", broken.Structured, err)
	}
	unreadable := verifyWith(t, `{}`, func(context.Context, ...audit.Anchor) (audit.Report, error) {
		return audit.Report{}, errors.New("the disk at /srv/secret is gone")
	})
	if unreadable.Err == nil || unreadable.Err.Code != "unavailable" || strings.Contains(unreadable.Err.Message+unreadable.Err.Hint, "/srv") {
		t.Errorf("%+v", unreadable.Err)
	}
}
