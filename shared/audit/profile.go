package audit

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Limits of the profile.
const (
	maxInteger = 1<<53 - 1 // the largest integer that every JSON reader keeps exact
	maxDepth   = 16
	maxToken   = 128
	maxActor   = 256
)

// isToken reports whether s may be an id or an event. Such text needs no escapes.
func isToken(s string) bool {
	if len(s) == 0 || len(s) > maxToken {
		return false
	}
	for i := range len(s) {
		if !tokenByte[s[i]] {
			return false
		}
	}
	return true
}

var tokenByte = func() (set [256]bool) {
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-") {
		set[c] = true
	}
	return set
}()

// appendPayload appends the canonical text of a payload, which must be an object.
func appendPayload(dst []byte, payload any) ([]byte, error) {
	if payload == nil {
		return append(dst, "{}"...), nil
	}
	begin := len(dst)
	dst, err := appendValue(dst, payload, 0)
	if err != nil {
		return nil, err
	}
	if string(dst[begin:]) == "null" { // a nil map or pointer
		return append(dst[:begin], "{}"...), nil
	}
	if dst[begin] != '{' {
		return nil, fmt.Errorf("payload: want an object: %w", ErrProfile)
	}

	return dst, nil
}

// appendValue appends the canonical text of v, which stands inside depth arrays
// and objects. The usual types are encoded directly; for all others encoding/json
// decides what they mean and canonicalize how it is written.
func appendValue(dst []byte, v any, depth int) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case string:
		return appendString(dst, v)
	case int:
		return appendInteger(dst, int64(v))
	case int64:
		return appendInteger(dst, v)
	case map[string]any:
		return appendMap(dst, v, depth)
	case []any:
		return appendSlice(dst, v, depth)
	case json.RawMessage:
		return canonicalize(dst, v, depth)
	}

	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("payload: %T cannot be marshalled: %w", v, ErrProfile)
	}

	return canonicalizeMarshalled(dst, text, depth)
}

func appendMap(dst []byte, m map[string]any, depth int) ([]byte, error) {
	if m == nil {
		return append(dst, "null"...), nil
	}
	if depth == maxDepth {
		return nil, errDepth
	}

	var few [8]string // keeps the keys of small objects off the heap
	keys := slices.AppendSeq(few[:0], maps.Keys(m))
	slices.Sort(keys)
	dst = append(dst, '{')
	for i, key := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		if !isASCII(key) {
			return nil, errKey
		}

		dst = append(appendText(dst, key), ':')

		var err error
		if dst, err = appendValue(dst, m[key], depth+1); err != nil {
			return nil, err
		}
	}

	return append(dst, '}'), nil
}

func appendSlice(dst []byte, values []any, depth int) ([]byte, error) {
	if values == nil {
		return append(dst, "null"...), nil
	}
	if depth == maxDepth {
		return nil, errDepth
	}

	dst = append(dst, '[')
	for i, v := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendValue(dst, v, depth+1); err != nil {
			return nil, err
		}
	}

	return append(dst, ']'), nil
}

var (
	errDepth   = fmt.Errorf("payload: nested deeper than %d: %w", maxDepth, ErrProfile)
	errKey     = fmt.Errorf("payload: key is not ASCII: %w", ErrProfile)
	errText    = fmt.Errorf("payload: text is not valid Unicode: %w", ErrProfile)
	errInteger = fmt.Errorf("payload: number is not an integer within ±(2^53-1): %w", ErrProfile)
)

func appendInteger(dst []byte, n int64) ([]byte, error) {
	if n > maxInteger || n < -maxInteger {
		return nil, errInteger
	}
	return strconv.AppendInt(dst, n, 10), nil
}

func appendString(dst []byte, s string) ([]byte, error) {
	if !utf8.ValidString(s) {
		return nil, errText
	}
	return appendText(dst, s), nil
}

// appendText appends valid UTF-8 as a JSON string in the spelling of RFC 8785:
// the short escape where there is one, \u00xx for the other control characters,
// everything else as it is.
func appendText(dst []byte, s string) []byte {
	dst = append(dst, '"')
	begin := 0
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' {
			dst = appendEscape(append(dst, s[begin:i]...), c)
			begin = i + 1
		}
	}
	return append(append(dst, s[begin:]...), '"')
}

// appendEscape appends the one canonical escape of a byte that needs one.
func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\t':
		return append(dst, '\\', 't')
	case '\n':
		return append(dst, '\\', 'n')
	case '\f':
		return append(dst, '\\', 'f')
	case '\r':
		return append(dst, '\\', 'r')
	}

	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
