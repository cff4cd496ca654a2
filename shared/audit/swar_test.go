package audit

import (
	"encoding/hex"
	"testing"
)

func TestTimeShape(t *testing.T) {
	good := []byte(timeLayout)
	for i := range good {
		for c := range 256 {
			text := []byte(timeLayout)
			text[i] = byte(c)
			digit := good[i] >= '0' && good[i] <= '9'
			want := digit && c >= '0' && c <= '9' || !digit && byte(c) == good[i]
			if timeShape(text) != want {
				t.Fatalf("%q", text)
			}
		}
	}
}

func TestIsHexOf(t *testing.T) {
	var sum [32]byte
	for i := range sum {
		sum[i] = byte(i * 37)
	}
	text := [hexLen]byte([]byte(hex.EncodeToString(sum[:])))
	if !isHexOf(&text, &sum) {
		t.Fatal("its own digits are refused")
	}
	for i := range text {
		for c := range 256 {
			if changed := text; byte(c) != text[i] {
				changed[i] = byte(c)
				if isHexOf(&changed, &sum) {
					t.Fatalf("%q", changed)
				}
			}
		}
	}
}

func TestPlainPrefix(t *testing.T) {
	for length := range 20 {
		for at := range length {
			for c := range 256 {
				text := []byte("abcdefghijklmnopqrst")[:length]
				text[at] = byte(c)
				want := length
				if c < 0x20 || c >= 0x80 || c == '"' || c == '\\' {
					want = at
				}
				if got := plainPrefix(text); got != want {
					t.Fatalf("%q: %d, want %d", text, got, want)
				}
			}
		}
	}
	if got := plainPrefix([]byte("ab\"\\\x1f\x80\"\"")); got != 2 {
		t.Errorf("got %d", got)
	}
}
