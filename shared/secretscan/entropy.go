package secretscan

import "math/bits"

// EntropyMilli returns the Shannon entropy of the bytes of s in thousandths of a bit for each
// byte. It is computed in integers so that every platform agrees on which side of a threshold a
// value falls; math.Log2 does not promise that.
func EntropyMilli(s string) int {
	if s == "" {
		return 0
	}
	var count [256]uint32
	for i := 0; i < len(s); i++ {
		count[s[i]]++
	}

	n := uint64(len(s))
	var weighted uint64
	for _, c := range count {
		if c > 1 {
			weighted += uint64(c) * log2(uint64(c))
		}
	}

	total := log2(n)
	mean := weighted / n
	if mean >= total {
		return 0
	}

	return int((total - mean) * 1000 >> fraction)
}

const fraction = 20

// smallLogs are the logarithms of the counts that nearly all values have.
var smallLogs = func() (logs [128]uint64) {
	for i := 1; i < len(logs); i++ {
		logs[i] = log2Fixed(uint64(i))
	}
	return logs
}()

func log2(x uint64) uint64 {
	if x < uint64(len(smallLogs)) {
		return smallLogs[x]
	}
	return log2Fixed(x)
}

// log2Fixed returns the base-2 logarithm of x >= 1 with 20 fraction bits, by repeated squaring.
func log2Fixed(x uint64) uint64 {
	whole := uint64(bits.Len64(x) - 1)
	mantissa := x << (63 - whole) >> 32 // in [1, 2) with 31 fraction bits
	result := whole
	for range fraction {
		mantissa = mantissa * mantissa >> 31
		result <<= 1
		if mantissa >= 1<<32 {
			mantissa >>= 1
			result |= 1
		}
	}
	return result
}
