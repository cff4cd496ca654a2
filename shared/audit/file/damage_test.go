package file_test

import (
	"bytes"
	"os"
	"testing"

	"governance.internal/shared/audit/audittest"
	"governance.internal/shared/audit/file"
)

// The store that has the file open finds changes made in it.
func TestDamageToTheFile(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, file.Options{})
	for n := range audittest.DamageLength - 1 {
		mustAppend(t, s, audittest.Event(n))
	}
	audittest.RunDamage(t, audittest.Damaged{Store: s, Replace: func(lines [][]byte) {
		if err := os.WriteFile(file.Path(dir, "test"), bytes.Join(lines, nil), 0o600); err != nil {
			t.Fatal(err)
		}
	}}, 13)
}
