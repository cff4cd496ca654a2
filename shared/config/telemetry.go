package config

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// Telemetry has the settings that every program of OpenTelemetry reads
// (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/).
type Telemetry struct {
	// OTEL_EXPORTER_OTLP_ENDPOINT: base address of a collector that takes OTLP over HTTP
	// with JSON. Default: none, nothing is recorded.
	Endpoint string
	// OTEL_EXPORTER_OTLP_HEADERS: headers for it, name=value with percent-encoded values,
	// comma separated.
	Headers map[string]string
	// OTEL_SERVICE_NAME: name of this process there. Default: that of the function.
	Name string
	// OTEL_TRACES_SAMPLER_ARG: share of the traces that are recorded, from 0 to 1.
	// Default 1.
	Ratio float64
}

func loadTelemetry(get func(name, fallback string) string) Telemetry {
	return Telemetry{
		Endpoint: strings.TrimRight(get("OTEL_EXPORTER_OTLP_ENDPOINT", ""), "/"),
		Headers:  headers(get("OTEL_EXPORTER_OTLP_HEADERS", "")),
		Name:     get("OTEL_SERVICE_NAME", ""),
		Ratio:    share(get("OTEL_TRACES_SAMPLER_ARG", "1")),
	}
}

func (t Telemetry) check() []string {
	var bad []string
	if t.Endpoint != "" && !isHTTP(t.Endpoint) {
		bad = append(bad, "OTEL_EXPORTER_OTLP_ENDPOINT must start with http:// or https://")
	}
	if _, malformed := t.Headers[""]; malformed {
		bad = append(bad, "OTEL_EXPORTER_OTLP_HEADERS must be name=value, comma separated, with percent-encoded values")
	}
	if t.Ratio < 0 {
		bad = append(bad, "OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1")
	}
	return bad
}

// share reads a number from 0 to 1; negative if it is malformed.
func share(text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0 && n <= 1) {
		return -1
	}
	return n
}

var headerPattern = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)

// headers reads name=value pairs, nil for none; a malformed one gets the empty name.
func headers(text string) map[string]string {
	var pairs map[string]string
	for _, pair := range splitList(text) {
		name, value, ok := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		decoded, err := url.PathUnescape(strings.TrimSpace(value))

		isValid := ok && err == nil && headerPattern.MatchString(name)
		if !isValid || strings.ContainsAny(decoded, "\r\n") {
			name = ""
		}

		if pairs == nil {
			pairs = map[string]string{}
		}
		pairs[name] = decoded
	}

	return pairs
}
