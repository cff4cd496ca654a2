package wiring

import (
	"net/http/httptest"
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

// A request is signed as S3 and KMS want it, for this function's role.
func TestRequestsAreSignedForTheRole(t *testing.T) {
	t.Setenv("AWS_REGION", "eu-central-1")
	t.Setenv("AWS_ACCESS_KEY_ID", "EXAMPLEID")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_SESSION_TOKEN", "session")
	a, err := account("")
	if err != nil {
		t.Fatal(err)
	}
	for _, service := range []string{"s3", "kms"} {
		req := httptest.NewRequest("PUT", "https://shop.example/payments/x", nil)
		req.Header.Set("X-Amz-Object-Lock-Mode", "COMPLIANCE")
		if err := a.Sign(t.Context(), req, strings.Repeat("0", 64), service, a.Region); err != nil {
			t.Fatal(err)
		}
		got := req.Header.Get("Authorization")
		if !strings.Contains(got, "Credential=EXAMPLEID/") || !strings.Contains(got, "/eu-central-1/"+service+"/aws4_request") || !strings.Contains(got, "x-amz-object-lock-mode") || req.Header.Get("X-Amz-Security-Token") != "session" {
			t.Errorf("%v", req.Header)
		}
	}
}
