//go:build linux

package dispatch_test

import (
	"path/filepath"
	"testing"

	"governance.internal/functions/toolserver/work/dispatch"
	"governance.internal/functions/toolserver/work/dispatch/slotstest"
)

func TestSlotsInAFile(t *testing.T) {
	slotstest.Run(t, func(t *testing.T) dispatch.Slots {
		return dispatch.NewFileSlots(filepath.Join(t.TempDir(), "slots.json"))
	})
}
