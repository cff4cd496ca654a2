package x402_test

import (
	"encoding/base64"
	"reflect"
	"strings"
	"testing"

	"governance.internal/shared/x402"
)

// No two sign-ins have the same text: a line break in a member would let one be
// read as the other.
func TestAMemberCannotReachIntoAnother(t *testing.T) {
	for _, member := range []string{"domain", "address", "statement", "uri", "version", "chainId", "type", "nonce", "issuedAt", "expirationTime", "notBefore", "requestId", "signature"} {
		for _, forged := range []string{"a\\nURI: b", "a\\r", "a\\u0000", "a\\u007f"} {
			if _, err := x402.ParseSignIn(base64.StdEncoding.EncodeToString([]byte(`{"` + member + `":"` + forged + `"}`))); err == nil {
				t.Errorf("%s may be %q", member, forged)
			}
		}
	}
	if _, err := x402.ParseSignIn(base64.StdEncoding.EncodeToString([]byte(`{"resources":["a","b\n- c"]}`))); err == nil {
		t.Error("a resource may have a line break")
	}
	if _, err := x402.ParseSignIn(strings.Repeat("A", 4097)); err == nil {
		t.Error("a header of 4,097 characters is read")
	}
}

func FuzzParseSignIn(f *testing.F) {
	good := x402.SignIn{Domain: "shop.example", Address: "0x1563915e194D8CfBA1943570603F7606A3115508", URI: "https://shop.example/x402/tip",
		Version: "1", ChainID: "eip155:8453", Type: "eip191", Nonce: "0123456789abcdef", IssuedAt: "2026-11-21T14:00:00Z", Resources: []string{"https://shop.example"}}
	f.Add(encode(f, good))
	good.Statement, good.RequestID, good.NotBefore, good.ExpirationTime = "Hello", "7", "2026-11-21T14:00:00Z", "2026-11-21T14:00:00+01:00"
	f.Add(encode(f, good))
	f.Add("eyJkb21haW4iOiJhXG4ifQ==")
	f.Add("bnVsbA==")
	f.Fuzz(func(t *testing.T, header string) {
		s, err := x402.ParseSignIn(header)
		if err != nil {
			if reason(err) != "invalid_sign_in" {
				t.Fatalf("error %v", err)
			}
			return
		}
		lines := strings.Count(s.Message(), "\n")
		most := 13 + len(s.Resources)
		if lines < 7 || lines > most {
			t.Fatalf("%d lines: %q", lines, s.Message())
		}
		again, err := x402.ParseSignIn(encode(t, s))
		if err == nil && (!reflect.DeepEqual(again.Message(), s.Message())) {
			t.Fatalf("%+v became %+v", s, again)
		}
	})
}
