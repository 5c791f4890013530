package text

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

var units = map[string]float64{
	"b": 512, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15, "EB": 1e18,
	"K": 1 << 10, "k": 1 << 10, "M": 1 << 20, "m": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50, "E": 1 << 60,
	"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40, "PiB": 1 << 50, "EiB": 1 << 60,
}

// parseSize reads a number with a suffix such as b, K, kB, M. What is too large is the
// largest number.
func parseSize(s string) (int64, error) {
	digits := strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	factor := 1.0
	if suffix := s[len(digits):]; suffix != "" {
		if factor = units[suffix]; factor == 0 {
			return 0, errors.New("invalid suffix")
		}
	}
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, errors.New("no number")
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || float64(n)*factor >= math.MaxInt64 {
		return math.MaxInt64, nil
	}
	return n * int64(factor), nil
}

// number reads an option's value that is a whole number of at least least.
func number(value string, least int64, what string) (int64, error) {
	n, err := parseSize(value)
	if err != nil || n < least {
		return 0, fmt.Errorf("invalid %s: '%s'", what, value)
	}
	return n, nil
}
