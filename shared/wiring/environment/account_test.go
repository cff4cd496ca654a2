package environment

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestAnAccountNamesWhatIsMissing(t *testing.T) {
	for _, name := range []string{"AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
		t.Setenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "")
		t.Setenv("AWS_REGION", "eu-central-1")
		t.Setenv("AWS_ACCESS_KEY_ID", "id")
		t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
		if a, err := OpenAccount(""); err != nil || a.Region != "eu-central-1" {
			t.Fatal(a.Region, err)
		}
		t.Setenv(name, "")
		if _, err := OpenAccount(""); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
		if a, err := OpenAccount("http://127.0.0.1:1"); err != nil || a.Endpoint != "http://127.0.0.1:1" {
			t.Errorf("a local engine: %+v, %v", a, err)
		}
	}
}

// The clients sign for this function's role.
func TestAnAccountHasTheKeysOfTheRole(t *testing.T) {
	t.Setenv("AWS_REGION", "eu-central-1")
	t.Setenv("AWS_ACCESS_KEY_ID", "EXAMPLEID")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_SESSION_TOKEN", "session")
	a, err := OpenAccount("")
	if err != nil {
		t.Fatal(err)
	}
	keys, err := a.Credentials.Retrieve(t.Context())
	if err != nil || keys.AccessKeyID != "EXAMPLEID" || keys.SessionToken != "session" || a.Region != "eu-central-1" {
		t.Errorf("%s %s (%v)", keys.AccessKeyID, a.Region, err)
	}
}

// A task gets keys for an hour or so; it asks again shortly before they expire and not
// at each request.
func TestKeysOfATaskAreRenewedBeforeTheyExpire(t *testing.T) {
	asked, lives := 0, time.Hour
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		fmt.Fprintf(w, `{"AccessKeyId":"id%d","SecretAccessKey":"secret","Token":"token","Expiration":%q}`, asked, time.Now().Add(lives).UTC().Format(time.RFC3339))
	}))
	defer server.Close()
	role := taskRole(server.URL)
	for range 3 {
		keys, err := role.Retrieve(t.Context())
		if err != nil || keys.AccessKeyID != "id1" || keys.SecretAccessKey != "secret" || keys.SessionToken != "token" {
			t.Fatal(keys.AccessKeyID, err)
		}
	}
	lives = renewBefore / 2
	short := taskRole(server.URL)
	for want := 2; want <= 3; want++ {
		if keys, err := short.Retrieve(t.Context()); err != nil || keys.AccessKeyID != fmt.Sprintf("id%d", want) {
			t.Errorf("keys that are about to expire were used again: %s (%v)", keys.AccessKeyID, err)
		}
	}
}

func TestAnAnswerWithoutKeysIsAnErrorThatQuotesNothing(t *testing.T) {
	status, body := http.StatusOK, `{"AccessKeyId":"private"}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	defer server.Close()
	for range 2 {
		if _, err := taskRole(server.URL).Retrieve(t.Context()); err == nil || strings.Contains(err.Error(), "private") {
			t.Errorf("%d: %v", status, err)
		}
		status = http.StatusForbidden
	}
}

func FuzzParseKeys(f *testing.F) {
	f.Add([]byte(`{"AccessKeyId":"a","SecretAccessKey":"b","Token":"c","Expiration":"2026-11-21T00:00:00Z"}`))
	f.Add([]byte(`{"Expiration":1}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if keys, err := parseKeys(text); err == nil && !keys.HasKeys() {
			t.Errorf("accepted without keys: %q", text)
		}
	})
}
