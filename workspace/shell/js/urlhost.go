package js

import (
	"net/netip"
	"strconv"
	"strings"
)

// asciiHost writes the labels of a host that have letters beyond ASCII in Punycode.
func asciiHost(s string) (string, bool) {
	labels := strings.Split(s, ".")
	for i, l := range labels {
		for _, c := range l {
			if c >= 0x80 {
				labels[i] = "xn--" + punycode(l)
				break
			}
		}
	}
	numeric := len(labels) == 4
	for _, l := range labels {
		if _, err := strconv.ParseUint(l, 10, 32); err != nil {
			numeric = false
		}
	}
	joined := strings.Join(labels, ".")
	if numeric {
		_, err := netip.ParseAddr(joined)
		return joined, err == nil
	}
	return joined, true
}

// punycode encodes a label (RFC 3492).
func punycode(label string) string {
	const base, least, most, skew, damp = 36, 1, 26, 38, 700
	runes := []rune(label)
	var out []byte
	for _, r := range runes {
		if r < 0x80 {
			out = append(out, byte(r))
		}
	}
	basic := len(out)
	if basic > 0 {
		out = append(out, '-')
	}
	digit := func(d int) byte {
		if d < 26 {
			return byte('a' + d)
		}
		return byte('0' + d - 26)
	}
	n, delta, bias := rune(0x80), 0, 72
	for done := basic; done < len(runes); {
		next := rune(0x7fffffff)
		for _, r := range runes {
			if r >= n && r < next {
				next = r
			}
		}
		delta += int(next-n) * (done + 1)
		n = next
		for _, r := range runes {
			if r < n {
				delta++
			}
			if r != n {
				continue
			}
			q := delta
			for k := base; ; k += base {
				t := min(max(k-bias, least), most)
				if q < t {
					break
				}
				out = append(out, digit(t+(q-t)%(base-t)))
				q = (q - t) / (base - t)
			}
			out = append(out, digit(q))
			d := delta / 2
			if done == basic {
				d = delta / damp
			}
			d += d / (done + 1)
			k := 0
			for ; d > ((base-least)*most)/2; k += base {
				d /= base - least
			}
			bias = k + (base-least+1)*d/(d+skew)
			delta = 0
			done++
		}
		delta++
		n++
	}
	return string(out)
}

// percent encodes what is neither letter nor digit nor one of keep.
func percent(s, keep string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || strings.IndexByte(keep, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.Write([]byte{'%', hex[c>>4], hex[c&15]})
	}
	return b.String()
}

// unpercent decodes what is encoded; what is not valid stays.
func unpercent(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(n))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
