package wiring

import (
	"strings"
	"testing"

	"governance.internal/shared/config"
)

func TestATableWithoutAnAccountNamesWhatIsMissing(t *testing.T) {
	for _, name := range []string{"AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
		t.Setenv("AWS_REGION", "eu-central-1")
		t.Setenv("AWS_ACCESS_KEY_ID", "id")
		t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
		c := config.Config{PaymentsTable: "t"}
		if _, _, err := openPayments(c); err != nil {
			t.Fatal(err)
		}
		t.Setenv(name, "")
		if _, _, err := openPayments(c); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}
