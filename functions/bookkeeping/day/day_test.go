package day

import "testing"

func TestReadings(t *testing.T) {
	tests := []struct {
		text  string
		order Order
		want  string
	}{
		{"2025-03-04", YMD, "2025-03-04"},
		{"2025-03-04T23:30:00-05:00", YMD, "2025-03-04"},
		{"2025/3/4 10:00", YMD, "2025-03-04"},
		{"20250304", YMD, "2025-03-04"},
		{"04032025", DMY, "2025-03-04"},
		{"03/04/2025", MDY, "2025-03-04"},
		{"4.3.25", DMY, "2025-03-04"},
		{"4 Mar 2025", YMD, "2025-03-04"},
		{"Mar 4, 2025", YMD, "2025-03-04"},
		{"Tue, 4 March 2025 10:11", YMD, "2025-03-04"},
		{"4th March 2025", YMD, "2025-03-04"},
		{"4. März 2025", YMD, "2025-03-04"},
		{"4 de marzo de 2025", YMD, "2025-03-04"},
		{"4-Dez-25", YMD, "2025-12-04"},
		{"1 août 2025", YMD, "2025-08-01"},
		{"29/02/2024", DMY, "2024-02-29"},
	}
	for _, test := range tests {
		cell, ok := Read(test.text)
		got, exists := cell.In(test.order)
		if !ok || !exists || got.String() != test.want {
			t.Errorf("%q: %v %v %v", test.text, ok, exists, got)
		}
	}
}

func TestWhatIsNoDate(t *testing.T) {
	for _, text := range []string{"", "45720", "03/14", "12:30:00", "-4.50", "1.234,56", "Coffee", "10 coffees", "4 Mar"} {
		if cell, ok := Read(text); ok {
			t.Errorf("%q is read as %+v", text, cell)
		}
	}
	cell, _ := Read("29/02/2025")
	for _, order := range []Order{YMD, DMY, MDY} {
		if d, ok := cell.In(order); ok {
			t.Errorf("the day is %s", d)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"2025-03-04", "4 Mar 2025", "03/04/25", "20250304", "Tue, 4th of May 2025 10:00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cell, ok := Read(text)
		if !ok {
			return
		}
		for _, order := range []Order{YMD, DMY, MDY} {
			d, exists := cell.In(order)
			if !exists {
				continue
			}
			if again, ok := Parse(d.String()); !ok || again != d {
				t.Errorf("%q is %v", text, d)
			}
		}
	})
}
