package catalog

import (
	"embed"
	"encoding/json"
	"strings"
)

//go:embed schema/*.json
var schemaFiles embed.FS

// Schemas are the JSON schemas (2020-12) of requests and answers by name, as they
// stand in components/schemas of the OpenAPI document.
func Schemas() map[string]json.RawMessage {
	schemas := map[string]json.RawMessage{}
	files, err := schemaFiles.ReadDir("schema")
	if err != nil {
		panic(err) // embedded; cannot fail
	}

	for _, file := range files {
		data, err := schemaFiles.ReadFile("schema/" + file.Name())
		if err != nil {
			panic(err) // embedded; cannot fail
		}
		schemas[strings.TrimSuffix(file.Name(), ".json")] = data
	}
	return schemas
}
