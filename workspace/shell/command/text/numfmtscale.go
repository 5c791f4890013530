package text

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

const numfmtSuffixes = "KMGTPEZY"

// parse reads a number with the suffix that --from allows, and how many decimals it has.
func (f *formatter) parse(s string) (v float64, decimals int, err error) {
	i := 0
	if strings.HasPrefix(s, "-") {
		i++
	}
	start := i
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	if i < len(s) && s[i] == '.' {
		from := i + 1
		for i++; i < len(s) && isDigit(s[i]); i++ {
		}
		if decimals = i - from; decimals == 0 {
			return 0, 0, fmt.Errorf("invalid number: '%s'", s)
		}
	}
	if i == start {
		return 0, 0, fmt.Errorf("invalid number: '%s'", s)
	}
	if i-start > 33 {
		return 0, 0, fmt.Errorf("value too large to be converted: '%s'", s)
	}
	v, _ = strconv.ParseFloat(s[:i], 64) // only digits and a point
	rest := s[i:]
	if rest == "" {
		return v, decimals, nil
	}
	power := strings.IndexByte(numfmtSuffixes, rest[0]) + 1
	after := rest[1:]
	switch {
	case power == 0:
		return 0, 0, fmt.Errorf("invalid suffix in input: '%s'", s)
	case f.from == "none":
		return 0, 0, fmt.Errorf("rejecting suffix in input: '%s' (consider using --from)", s)
	}
	base := 1024.0
	switch {
	case f.from == "iec-i":
		if after == "" {
			return 0, 0, fmt.Errorf("missing 'i' suffix in input: '%s' (e.g Ki/Mi/Gi)", s)
		}
		after = strings.TrimPrefix(after, "i")
	case f.from == "auto" && strings.HasPrefix(after, "i"):
		after = after[1:]
	case f.from == "auto" || f.from == "si":
		base = 1000
	}
	if after != "" {
		return 0, 0, fmt.Errorf("invalid suffix in input '%s': '%s'", s, after)
	}
	return v * math.Pow(base, float64(power)), 0, nil
}

// write writes a number in the scale of --to.
func (f *formatter) write(v float64, decimals int) string {
	if f.to == "none" {
		if f.precision >= 0 {
			decimals = f.precision
		}
		return strconv.FormatFloat(f.rounded(v, decimals), 'f', decimals, 64)
	}
	base := 1024.0
	if f.to == "si" {
		base = 1000
	}
	power := 0
	for math.Abs(v) >= base && power < len(numfmtSuffixes) {
		v /= base
		power++
	}
	shown := f.precision
	if shown < 0 {
		shown = b2i(v != 0 && math.Abs(v) < 10 && power > 0)
	}
	if v = f.rounded(v, shown); math.Abs(v) >= base && power < len(numfmtSuffixes) {
		v /= base
		power++
		if f.precision < 0 {
			shown = 1
		}
	} else if f.precision < 0 && shown == 1 && math.Abs(v) >= 10 {
		shown = 0
	}
	out := strconv.FormatFloat(v, 'f', shown, 64)
	if power > 0 {
		if out += numfmtSuffixes[power-1 : power]; f.to == "iec-i" {
			out += "i"
		}
	}
	return out
}

func (f *formatter) rounded(v float64, decimals int) float64 {
	scale := math.Pow(10, float64(decimals))
	if math.Abs(v) > math.MaxInt64/scale {
		return v
	}
	// What is a whole number but for the last bits is not to be rounded up.
	x := v * scale
	if r := math.Round(x); math.Abs(x-r) <= math.Abs(x)*1e-15 {
		return r / scale
	}
	switch f.round {
	case "up":
		x = math.Ceil(x)
	case "down":
		x = math.Floor(x)
	case "towards-zero":
		x = math.Trunc(x)
	case "nearest":
		x = math.Round(x)
	default:
		x = math.Copysign(math.Ceil(math.Abs(x)), x)
	}
	return x / scale
}
