package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"governance.internal/shared/catalog"
	"governance.internal/shared/x402"
)

// contract checks answers against the OpenAPI document that the service serves.
type contract struct {
	t        *testing.T
	document map[string]any
	compiler *jsonschema.Compiler
}

func newContract(t *testing.T, document []byte) *contract {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	if err := compiler.AddResource("openapi.json", value); err != nil {
		t.Fatal(err)
	}
	return &contract{t, value.(map[string]any), compiler}
}

// check finds the documented response of an answer and validates its body.
func (c *contract) check(e catalog.Endpoint, a answer) {
	c.t.Helper()
	where := fmt.Sprintf("%s %s %d", e.Method, e.Path, a.status)
	responses := dig(c.document, "paths", e.Path, strings.ToLower(e.Method), "responses")
	documented, ok := responses[fmt.Sprint(a.status)].(map[string]any)
	if !ok {
		c.t.Errorf("%s is not documented", where)
		return
	}
	mediaType, _, _ := strings.Cut(a.header.Get("Content-Type"), ";")
	content, ok := dig(documented, "content")[mediaType].(map[string]any)
	if !ok {
		c.t.Errorf("%s: media type %s is not documented", where, mediaType)
		return
	}
	reference, ok := content["schema"].(map[string]any)
	if !ok {
		return // text, or a document of a foreign standard
	}
	schema, err := c.compiler.Compile("openapi.json" + reference["$ref"].(string))
	if err != nil {
		c.t.Fatal(err)
	}
	body, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.body))
	if err != nil {
		c.t.Fatalf("%s: %v", where, err)
	}
	if err := schema.Validate(body); err != nil {
		c.t.Errorf("%s: %v\n%s", where, err, a.body)
	}
}

func dig(object map[string]any, names ...string) map[string]any {
	for _, name := range names {
		object, _ = object[name].(map[string]any)
	}
	return object
}

func TestEveryAnswerIsAsDocumented(t *testing.T) {
	r := start(t)
	document := r.call("GET", "/openapi.json", "")
	c := newContract(t, document.body)
	for _, e := range catalog.Endpoints {
		path, body := e.Path, sampleOf(e)
		if len(e.PathParams) > 0 {
			c.check(e, r.call(e.Method, strings.Replace(e.Path, "{nonce}", "7", 1), ""))
			path = strings.Replace(e.Path, "{nonce}", e.PathParams[0].Example, 1)
		}
		if !e.Paid() {
			c.check(e, r.call(e.Method, path, body))
			continue
		}
		c.check(e, r.call(e.Method, path, body))
		c.check(e, r.call(e.Method, path, body, "X402-Version", "1"))
		header := r.payment(e.Method, path)
		if e.Request != "" {
			c.check(e, r.call(e.Method, path, "{", x402.HeaderSignature, header))
			c.check(e, r.call(e.Method, path, strings.Repeat(" ", e.MaxBody+1), x402.HeaderSignature, header))
			c.check(e, r.call(e.Method, path, body, x402.HeaderSignature, header, "Content-Type", "text/plain"))
		}
		paid := r.call(e.Method, path, body, x402.HeaderSignature, header)
		wantStatus(t, paid, 200, path)
		c.check(e, paid)
		node := r.service.paid.Gate.Machine.Facilitator
		r.service.paid.Gate.Machine.Facilitator = unreachable(t, r)
		c.check(e, r.call(e.Method, path, body, x402.HeaderSignature, r.payment(e.Method, path)))
		r.service.paid.Gate.Machine.Facilitator = node
	}
}

func TestSampleOfTheRequestSchemaIsAccepted(t *testing.T) {
	r := start(t)
	c := newContract(t, r.call("GET", "/openapi.json", "").body)
	for _, e := range catalog.Endpoints {
		if e.Request == "" {
			continue
		}
		schema, err := c.compiler.Compile("openapi.json#/components/schemas/" + e.Request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := jsonschema.UnmarshalJSON(strings.NewReader(sampleOf(e)))
		if err != nil || schema.Validate(body) != nil {
			t.Errorf("%s: the sample does not fit its schema: %v", e.Path, schema.Validate(body))
		}
	}
}

func TestOpenAPIDocumentIsValid(t *testing.T) {
	node := needNode(t)
	r := start(t)
	command := exec.Command(node, "../../testdata/clients/validate-openapi.mjs")
	command.Stdin = bytes.NewReader(r.call("GET", "/openapi.json", "").body)
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var verdict struct {
		Valid   bool
		Version string
		Errors  any
	}
	if err := json.Unmarshal(out, &verdict); err != nil || !verdict.Valid || verdict.Version != "3.1" {
		t.Errorf("%s (%v)", out, err)
	}
}

func TestDiscoveryDocumentsHaveTheirVersions(t *testing.T) {
	r := start(t)
	for path, want := range map[string]map[string]string{
		"/openapi.json":                {"openapi": "3.1.0", "info.version": "1.1.0"},
		"/.well-known/agent-card.json": {"protocolVersion": "0.3.0", "version": "1.0.0", "capabilities.streaming": "false", "capabilities.pushNotifications": "false"},
		"/.well-known/agent.json":      {"protocolVersion": "0.3.0", "version": "1.0.0"},
		"/.well-known/x402":            {"x402Version": "2", "signer.address": r.service.paid.Gate.Site.Signer},
		"/x402/products":               {"x402Version": "2", "network": "eip155:8453"},
	} {
		document := r.call("GET", path, "").json(t)
		for field, value := range want {
			names := strings.Split(field, ".")
			object := dig(document, names[:len(names)-1]...)
			if got := fmt.Sprint(object[names[len(names)-1]]); got != value {
				t.Errorf("%s: %s is %s, want %s", path, field, got, value)
			}
		}
	}
}
