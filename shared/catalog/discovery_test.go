package catalog

import (
	"strings"
	"testing"
)

func TestEveryPaidRowTellsHowItIsCalled(t *testing.T) {
	for _, e := range paidRows() {
		bazaar := asJSON[struct {
			Info struct {
				Input struct {
					Type, Method, BodyType string
					Body                   map[string]any
					QueryParams            map[string]string
				}
				Output struct{ Type, Format string }
			}
			Schema map[string]any
		}](t, Bazaar(e))
		input, output := bazaar.Info.Input, bazaar.Info.Output
		if input.Type != "http" || input.Method != e.Method || (input.BodyType == "json") != (e.Request != "") || (len(input.Body) > 0) != (e.Request != "") || len(input.QueryParams) != len(e.Query) {
			t.Errorf("%s: %+v", e.Operation, input)
		}
		if !strings.HasSuffix(e.MIME, output.Type) && e.MIME != output.Type+"/"+output.Format {
			t.Errorf("%s: %+v for %s", e.Operation, output, e.MIME)
		}
		v1 := asJSON[struct {
			Input struct {
				Discoverable bool
				BodyFields   map[string]any
			}
		}](t, OutputSchemaV1(e)).Input
		if !v1.Discoverable || (len(v1.BodyFields) > 0) != (e.Request != "") {
			t.Errorf("%s: version 1 %+v", e.Operation, v1)
		}
	}
}
