package x402

const (
	secretRun  = 4   // bytes
	secretRuns = 256 // different ones
)

// isSecret reports whether a body holds so much that only who has seen it can send it
// again, which then proves the buyer after the payment itself is public. It does from 256
// different runs of four bytes on: text of at least 259 characters that is not repetition,
// of which even prose holds a bit each. An empty object, a short configuration and any
// longer one that repeats itself are guessed.
//
// No measure finds out that a long body is published somewhere.
func isSecret(body []byte) bool {
	seen := map[[secretRun]byte]bool{}
	for at := 0; at+secretRun <= len(body); at++ {
		seen[[secretRun]byte(body[at:])] = true
		if len(seen) == secretRuns {
			return true
		}
	}
	return false
}
