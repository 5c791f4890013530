package jq

import (
	"encoding/base32"
	"encoding/base64"
	"strings"
)

// format gives a value as "@name" writes it.
func format(name string, v any) (string, error) {
	switch name {
	case "text":
		return textOf(v), nil
	case "json":
		return encoded(v), nil
	case "csv":
		return row(v, name, ",", func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` })
	case "tsv":
		return row(v, name, "\t", strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`).Replace)
	case "html":
		return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "'", "&apos;", `"`, "&quot;").Replace(textOf(v)), nil
	case "uri":
		return percentEncoded(textOf(v)), nil
	case "urid":
		return percentDecoded(textOf(v))
	case "sh":
		return shellQuoted(v)
	case "base64":
		return base64.StdEncoding.EncodeToString([]byte(textOf(v))), nil
	case "base64d":
		return decoded64(v)
	case "base32":
		return base32.StdEncoding.EncodeToString([]byte(textOf(v))), nil
	case "base32d":
		text := textOf(v)
		b, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.TrimRight(text, "="))
		if err != nil {
			return "", one(text, "is not valid base32 data")
		}
		return strings.ToValidUTF8(string(b), "\uFFFD"), nil
	}
	return "", words(name + " is not a valid format")
}

// row gives an array as one line of a table.
func row(v any, name, separator string, quote func(string) string) (string, error) {
	a, ok := v.(*array)
	if !ok {
		return "", one(v, "cannot be "+name+"-formatted, only array")
	}
	var b strings.Builder
	for i, w := range a.list() {
		if i > 0 {
			b.WriteString(separator)
		}
		switch w := w.(type) {
		case nil:
		case string:
			b.WriteString(quote(w))
		case *array, *object:
			return "", one(w, "is not valid in a csv row")
		default:
			if !isNaN(w) {
				b.WriteString(encoded(w))
			}
		}
	}
	return b.String(), nil
}

func percentEncoded(s string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', strings.IndexByte("-_.~", c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte("0123456789ABCDEF"[c>>4])
			b.WriteByte("0123456789ABCDEF"[c&15])
		}
	}
	return b.String()
}

func percentDecoded(s string) (string, error) {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b = append(b, s[i])
			continue
		}
		n, ok := byte(0), i+2 < len(s)
		for j := 1; j <= 2 && ok; j++ {
			digit := strings.IndexByte("0123456789abcdef", s[i+j]|0x20)
			if s[i+j] < 'A' {
				digit = strings.IndexByte("0123456789", s[i+j])
			}
			ok = digit >= 0
			n = n<<4 | byte(digit&15)
		}
		if !ok {
			return "", one(s, "is not a valid uri encoding")
		}
		b = append(b, n)
		i += 2
	}
	return strings.ToValidUTF8(string(b), "\uFFFD"), nil
}

func shellQuoted(v any) (string, error) {
	items := []any{v}
	if a, ok := v.(*array); ok {
		items = a.list()
	}
	words := make([]string, len(items))
	for i, w := range items {
		switch w := w.(type) {
		case string:
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		case *array, *object:
			return "", one(w, "can not be escaped for shell")
		default:
			words[i] = encoded(w)
		}
	}
	return strings.Join(words, " "), nil
}

// decoded64 reads Base64 up to the first "=", with or without padding.
func decoded64(v any) (string, error) {
	text := textOf(v)
	data, _, _ := strings.Cut(text, "=")
	if len(data)%4 == 1 {
		if len(data) == 1 {
			return "", one(text, "is not valid base64 data")
		}
		return "", one(text, "trailing base64 byte found")
	}
	b, err := base64.RawStdEncoding.DecodeString(data)
	if err != nil || strings.ContainsAny(data, "\r\n") {
		return "", one(text, "is not valid base64 data")
	}
	return strings.ToValidUTF8(string(b), "\uFFFD"), nil
}
