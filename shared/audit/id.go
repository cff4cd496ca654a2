package audit

import (
	"encoding/binary"
	"fmt"
	"io"
	"time"
)

// crockford is the alphabet of a ULID: no I, L, O or U.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// NewID returns a ULID: 26 characters, the first ten from the milliseconds of
// now and the rest from 80 random bits, normally of crypto/rand.Reader. IDs of
// different milliseconds sort by time. See https://github.com/ulid/spec.
func NewID(now time.Time, random io.Reader) (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(random, b[6:]); err != nil {
		return "", fmt.Errorf("audit: making an id: %w", err)
	}

	ms := uint64(now.UnixMilli())
	binary.BigEndian.PutUint16(b[0:], uint16(ms>>32))
	binary.BigEndian.PutUint32(b[2:], uint32(ms))

	// 128 bits in 26 digits of 5 bits, the last digit holding the lowest.
	high := binary.BigEndian.Uint64(b[:8])
	low := binary.BigEndian.Uint64(b[8:])
	var text [26]byte
	for i := len(text) - 1; i >= 0; i-- {
		text[i] = crockford[low&31]
		low = low>>5 | high<<59
		high >>= 5
	}

	return string(text[:]), nil
}
