package tool_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"governance.internal/functions/toolserver/guard/workspace"
	"governance.internal/functions/toolserver/mcp/tool"
)

// Every reason has a code that clients can act on, and no message names a place of the
// machine.
func TestFileErrorsSayWhatToDoAndNotWhere(t *testing.T) {
	for err, code := range map[error]string{
		fs.ErrNotExist: "not_found", fs.ErrExist: "conflict", workspace.ErrNotRegular: "not_regular_file", workspace.ErrTooLarge: "too_large",
		workspace.ErrOutside: "path_outside_workspace", workspace.ErrBadName: "path_outside_workspace", errors.New("out of order"): "unavailable",
	} {
		got := tool.FileError("a.md", fmt.Errorf("here: %w", err))
		if got.Code != code || got.Hint == "" || !strings.HasPrefix(got.Message, "a.md: ") {
			t.Errorf("%v: %+v", err, got)
		}
	}
	if got := tool.FileError("/home/ana/a.md", fs.ErrNotExist); strings.Contains(got.Message, "ana") {
		t.Error(got.Message)
	}
}
