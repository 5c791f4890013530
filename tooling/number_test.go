package tooling

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestDecimal(t *testing.T) {
	t.Parallel()
	rows := []struct {
		lit      string
		integral bool
		value    int64
		fits     bool
		finite   bool
	}{
		{"0", true, 0, true, true},
		{"-0.00e5", true, 0, true, true},
		{"5", true, 5, true, true},
		{"-5", true, -5, true, true},
		{"5.0", true, 5, true, true},
		{"50e-1", true, 5, true, true},
		{"0.5e1", true, 5, true, true},
		{"5.5", false, 0, false, true},
		{"1e-400", false, 0, false, true},
		{"9223372036854775807", true, 9223372036854775807, true, true},
		{"9223372036854775808", true, 0, false, true},
		{"-9223372036854775808", true, -9223372036854775808, true, true},
		{"-9223372036854775809", true, 0, false, true},
		{"1e18", true, 1e18, true, true},
		{"1e19", true, 0, false, true},
		{"1.7976931348623157e308", true, 0, false, true},
		{"1.7976931348623158e308", true, 0, false, true},
		{"1.7976931348623159e308", true, 0, false, false},
		{"-1e309", true, 0, false, false},
		{"1e99999999999999999999", true, 0, false, false},
		{"1e-99999999999999999999", false, 0, false, true},
		{floatBound, true, 0, false, false},
	}
	for _, r := range rows {
		t.Run(head(r.lit, 30), func(t *testing.T) {
			t.Parallel()
			d := parseDecimal(r.lit)
			if d.integral() != r.integral || d.finite() != r.finite {
				t.Errorf("integral %v finite %v", d.integral(), d.finite())
			}
			if n, ok := parseInt(r.lit); ok != r.fits || n != r.value {
				t.Errorf("integer %d %v", n, ok)
			}
		})
	}
}

// TestDecimalAgainstFloats compares order and finiteness with the standard library.
func TestDecimalAgainstFloats(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	literal := func() string {
		s := strconv.FormatInt(r.Int64N(2000)-1000, 10)
		if r.IntN(2) == 0 {
			s += "." + strconv.Itoa(r.IntN(100))
		}
		if r.IntN(2) == 0 {
			s += "e" + strconv.Itoa(r.IntN(7)-3)
		}
		return s
	}
	for range 5000 {
		a, b := literal(), literal()
		x, _ := strconv.ParseFloat(a, 64)
		y, _ := strconv.ParseFloat(b, 64)
		want := 0
		if x < y {
			want = -1
		} else if x > y {
			want = 1
		}
		got := parseDecimal(a).compare(parseDecimal(b))
		if (got < 0) != (want < 0) || (got > 0) != (want > 0) {
			t.Fatalf("%s and %s compare %d, want %d", a, b, got, want)
		}
	}
	for exp := 300; exp < 320; exp++ {
		for range 50 {
			lit := strconv.FormatFloat(1+9*r.Float64(), 'f', 16, 64) + "e" + strconv.Itoa(exp)
			_, err := strconv.ParseFloat(lit, 64)
			if parseDecimal(lit).finite() != (err == nil) {
				t.Fatalf("%s: finite is %v", lit, err != nil)
			}
		}
	}
	if _, err := strconv.ParseFloat(floatBound, 64); err == nil {
		t.Error("the bound is finite")
	}
}
