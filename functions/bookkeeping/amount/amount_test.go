package amount

import "testing"

func TestMinor(t *testing.T) {
	tests := []struct {
		text     string
		decimal  rune
		decimals int
		want     int64
	}{
		{"1,234.56", '.', 2, 123456},
		{"1.234,56", ',', 2, 123456},
		{"1 234,56 €", ',', 2, 123456},
		{"-12.00", '.', 2, -1200},
		{"12.00-", '.', 2, -1200},
		{"(12.00)", '.', 2, -1200},
		{"−12.00", '.', 2, -1200},
		{"$-12", '.', 2, -1200},
		{"-$12.5", '.', 2, -1250},
		{"12.00 DR", '.', 2, -1200},
		{"12.00CR", '.', 2, 1200},
		{"CHF 1'234.50", '.', 2, 123450},
		{".50", '.', 2, 50},
		{"1,23,456.00", '.', 2, 12345600},
		{"1.234", ',', 2, 123400},
		{"1.234", '.', 3, 1234},
		{"12.500", '.', 2, 1250},
	}
	for _, test := range tests {
		cell, ok := Read(test.text)
		got, err := Style{test.decimal}.Minor(cell, test.decimals)
		if !ok || err != nil || got != test.want {
			t.Errorf("%q: %d %v %v, want %d", test.text, got, ok, err, test.want)
		}
	}
}

func TestWhatIsNoAmount(t *testing.T) {
	for _, text := range []string{"twelve", "1,,2", "1-2", "--5", "12.00 CR-", "4 Mar", "a1", "1..2", "€$5", "12 34 XX"} {
		if cell, ok := Read(text); ok {
			t.Errorf("%q is read as %+v", text, cell)
		}
	}
	for _, text := range []string{"1,23", "12,3456.00", "0.125", "99999999999999999999"} {
		cell, _ := Read(text)
		if minor, err := (Style{'.'}).Minor(cell, 2); err == nil {
			t.Errorf("%q is %d", text, minor)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"1,234.56", "(12)", "-€1.234,5", "1'000.00", "12.00-", "+3", "1 234 CR"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cell, ok := Read(text)
		if !ok || cell.Empty {
			return
		}
		for _, decimal := range []rune{0, '.', ','} {
			minor, err := Style{decimal}.Minor(cell, 2)
			if err == nil && cell.Negative && minor > 0 {
				t.Errorf("%q is %d", text, minor)
			}
		}
	})
}
