package files

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// human gives a size in three figures with a unit, rounded up, in powers of base: 1024 or
// 1000.
func human(n, base int64) string {
	units := "KMGTPE"
	if base == 1000 {
		units = "kMGTPE"
	}
	if n < base {
		return strconv.FormatInt(n, 10)
	}
	div := base
	for i := range len(units) {
		unit := units[i : i+1]
		whole, rest := n/div, n%div
		if whole < 10 {
			tenths := whole*10 + int64(math.Ceil(float64(rest)*10/float64(div)))
			if tenths < 100 {
				return strconv.FormatInt(tenths/10, 10) + "." + strconv.FormatInt(tenths%10, 10) + unit
			}
			return "10" + unit
		}
		if rest > 0 {
			whole++
		}
		if whole < base || i == len(units)-1 {
			return strconv.FormatInt(whole, 10) + unit
		}
		if n < div*base { // rounding up reached the next unit
			return "1.0" + units[i+1:i+2]
		}
		div *= base
	}
	return strconv.FormatInt(n, 10)
}

// ceilDiv divides and rounds up.
func ceilDiv(n, by int64) int64 { return (n + by - 1) / by }

var errSize = errors.New("invalid number")

// parseSize reads a number with a unit: K, M, G, T, P, E and KiB are powers of 1024, KB and
// kB powers of 1000.
func parseSize(s string) (int64, error) {
	end := 0
	for end < len(s) && isDigit(rune(s[end])) {
		end++
	}
	digits, unit := s[:end], s[end:]
	n := int64(1)
	if digits != "" || unit == "" {
		var err error
		if n, err = strconv.ParseInt(digits, 10, 64); err != nil {
			return 0, errSize
		}
	}
	factor, err := unitFactor(unit)
	if err != nil || n > math.MaxInt64/factor {
		return 0, errSize
	}
	return n * factor, nil
}

func unitFactor(unit string) (int64, error) {
	switch unit {
	case "":
		return 1, nil
	}
	power := strings.IndexByte("KMGTPE", unit[0])
	if lower := strings.IndexByte("kmgt", unit[0]); lower >= 0 {
		power = lower
	}
	base := int64(1024)
	switch {
	case power < 0:
		return 0, errSize
	case len(unit) == 2 && unit[1] == 'B':
		base = 1000
	case len(unit) > 1 && unit[1:] != "iB":
		return 0, errSize
	}
	factor := base
	for range power {
		factor *= base
	}
	return factor, nil
}
