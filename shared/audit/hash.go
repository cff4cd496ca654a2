package audit

import (
	"encoding/hex"
	"fmt"
)

// Hash is a SHA-256 value. Its text form is 64 lower-case hexadecimal digits, in
// JSON too. The zero Hash is the prev_hash of a genesis entry.
type Hash [32]byte

// ParseHash reads the text form of a Hash. Upper-case digits are refused, as
// they are in a line.
func ParseHash(text string) (Hash, error) {
	var h Hash
	if !isHex([]byte(text)) {
		return h, fmt.Errorf("audit: a hash is %d lower-case hexadecimal digits", hexLen)
	}
	_, err := hex.Decode(h[:], []byte(text))
	return h, err
}

// String returns the text form.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// IsZero reports whether h is the zero Hash.
func (h Hash) IsZero() bool { return h == Hash{} }

// MarshalText returns the text form.
func (h Hash) MarshalText() ([]byte, error) {
	return hex.AppendEncode(nil, h[:]), nil
}

// UnmarshalText reads the text form, as [ParseHash] does.
func (h *Hash) UnmarshalText(text []byte) error {
	parsed, err := ParseHash(string(text))
	if err != nil {
		return err
	}
	*h = parsed
	return nil
}

// isHex reports whether text is 64 lower-case hexadecimal digits.
func isHex(text []byte) bool {
	if len(text) != hexLen {
		return false
	}
	for _, c := range text {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
