package mask_test

import (
	"strings"
	"testing"

	"governance.internal/functions/toolserver/guard/mask"
)

func TestSecretsAreMaskedAndTheRestStays(t *testing.T) {
	token := "ghp_" + "a8Kx93mQzP2vLw7RtY5uJ1nB6cD4eF0gH3iS"
	for _, c := range []struct{ text, secret string }{
		{"the token is " + token + " today", token},
		{"DB_PASSWORD=hunter2-but-longer and more", "hunter2-but-longer"},
		{`{"api_key": "Zk39fjQw02mVbx81"}`, "Zk39fjQw02mVbx81"},
		{"postgres://app:Sup3rS3cret@db/x", "Sup3rS3cret"},
	} {
		got := mask.Text(c.text)
		if strings.Contains(got, c.secret) || !strings.Contains(got, "masked") || !mask.Holds(c.text) {
			t.Errorf("%q became %q", c.text, got)
		}
		if mask.Text(got) != got {
			t.Errorf("%q is masked twice: %q", got, mask.Text(got))
		}
	}
	for _, plain := range []string{"wrote api/server.go and ran the tests", "password=${DB_PASSWORD}", "TOKEN=<your token>", "key: value of the map", ""} {
		if got := mask.Text(plain); got != plain {
			t.Errorf("%q became %q", plain, got)
		}
	}
}
