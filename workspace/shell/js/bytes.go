package js

import (
	"encoding/base64"
	"encoding/hex"
	"reflect"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// bytes gives a Uint8Array over data, which must not be used by anyone else afterwards.
func (r *Runtime) bytes(data []byte) *goja.Object {
	o, err := r.vm.New(r.in.uint8Array, r.vm.ToValue(r.vm.NewArrayBuffer(data)))
	if err != nil {
		panic(err)
	}
	return o
}

// view gives the bytes that a value stands for, not copied; false: it is no buffer.
func (r *Runtime) view(v goja.Value) ([]byte, bool) {
	o, ok := v.(*goja.Object)
	if !ok {
		return nil, false
	}
	switch o.ExportType() {
	case reflect.TypeFor[[]byte]():
		return o.Export().([]byte), true
	case reflect.TypeFor[goja.ArrayBuffer]():
		return o.Export().(goja.ArrayBuffer).Bytes(), true
	}
	buffer, ok := o.Get("buffer").(*goja.Object)
	if !ok {
		return nil, false
	}
	if buffer.ExportType() != reflect.TypeFor[goja.ArrayBuffer]() {
		return nil, false
	}
	whole := buffer.Export().(goja.ArrayBuffer)
	from := int(o.Get("byteOffset").ToInteger())
	to := from + int(o.Get("byteLength").ToInteger())
	if all := whole.Bytes(); from >= 0 && from <= to && to <= len(all) {
		return all[from:to], true
	}
	return nil, false
}

// data gives the bytes of a buffer or of a string in an encoding.
func (r *Runtime) data(v goja.Value, encoding string) []byte {
	if b, ok := r.view(v); ok {
		return b
	}
	return encode(v.ToString().(goja.String), encoding)
}

// encodingName gives the usual name of an encoding, "" when there is no such one.
func encodingName(s string) string {
	switch s = strings.ToLower(s); s {
	case "", "utf8", "utf-8":
		return "utf8"
	case "latin1", "binary":
		return "latin1"
	case "ucs2", "ucs-2", "utf16le", "utf-16le":
		return "utf16le"
	case "hex", "base64", "base64url", "ascii":
		return s
	}
	return ""
}

// encode gives the bytes of a string.
func encode(s goja.String, encoding string) []byte {
	switch encodingName(encoding) {
	case "latin1", "ascii":
		out := make([]byte, s.Length())
		for i := range out {
			out[i] = byte(s.CharAt(i))
		}
		return out
	case "utf16le":
		out := make([]byte, 0, 2*s.Length())
		for i := range s.Length() {
			c := s.CharAt(i)
			out = append(out, byte(c), byte(c>>8))
		}
		return out
	case "hex":
		text := s.String()
		out := make([]byte, 0, len(text)/2)
		for i := 0; i+1 < len(text); i += 2 {
			b, err := hex.DecodeString(text[i : i+2])
			if err != nil {
				break
			}
			out = append(out, b...)
		}
		return out
	case "base64", "base64url":
		return decodeBase64(s.String())
	}
	return []byte(s.String())
}

// decodeBase64 reads both alphabets and leaves out what belongs to neither.
func decodeBase64(s string) []byte {
	clean := make([]byte, 0, len(s))
	for i := range len(s) {
		switch c := s[i]; {
		case c == '-':
			clean = append(clean, '+')
		case c == '_':
			clean = append(clean, '/')
		case c == '=':
			i = len(s)
		case c == '+' || c == '/' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z':
			clean = append(clean, c)
		}
		if i == len(s) {
			break
		}
	}
	if len(clean)%4 == 1 {
		clean = clean[:len(clean)-1]
	}
	out, _ := base64.RawStdEncoding.DecodeString(string(clean))
	return out
}

// decode gives the string that bytes stand for.
func (r *Runtime) decode(b []byte, encoding string) goja.Value {
	switch encodingName(encoding) {
	case "latin1":
		runes := make([]rune, len(b))
		for i, c := range b {
			runes[i] = rune(c)
		}
		return r.vm.ToValue(string(runes))
	case "ascii":
		out := make([]byte, len(b))
		for i, c := range b {
			out[i] = c & 0x7f
		}
		return r.vm.ToValue(string(out))
	case "utf16le":
		list := make([]uint16, len(b)/2)
		for i := range list {
			list[i] = uint16(b[2*i]) | uint16(b[2*i+1])<<8
		}
		return goja.StringFromUTF16(list)
	case "hex":
		return r.vm.ToValue(hex.EncodeToString(b))
	case "base64":
		return r.vm.ToValue(base64.StdEncoding.EncodeToString(b))
	case "base64url":
		return r.vm.ToValue(base64.RawURLEncoding.EncodeToString(b))
	}
	if utf8.Valid(b) {
		return r.vm.ToValue(string(b))
	}
	return r.vm.ToValue(replaceInvalid(b))
}

// replaceInvalid puts one U+FFFD for each longest piece that could have begun a character.
func replaceInvalid(b []byte) string {
	var out strings.Builder
	for len(b) > 0 {
		c, n := utf8.DecodeRune(b)
		if c != utf8.RuneError || n > 1 {
			out.WriteRune(c)
			b = b[n:]
			continue
		}
		out.WriteRune(utf8.RuneError)
		b = b[brokenLength(b):]
	}
	return out.String()
}

// brokenLength gives how many bytes at the start belong to one character that breaks off.
func brokenLength(b []byte) int {
	want, low, high := 1, byte(0x80), byte(0xbf)
	switch c := b[0]; {
	case c >= 0xc2 && c <= 0xdf:
		want = 2
	case c >= 0xe0 && c <= 0xef:
		want = 3
		if c == 0xe0 {
			low = 0xa0
		} else if c == 0xed {
			high = 0x9f
		}
	case c >= 0xf0 && c <= 0xf4:
		want = 4
		if c == 0xf0 {
			low = 0x90
		} else if c == 0xf4 {
			high = 0x8f
		}
	}
	n := 1
	for n < want && n < len(b) && b[n] >= low && b[n] <= high {
		n, low, high = n+1, 0x80, 0xbf
	}
	return n
}

// incomplete gives how many bytes at the end begin a character that is not whole yet.
func incomplete(b []byte) int {
	for n := 1; n <= 3 && n <= len(b); n++ {
		if c := b[len(b)-n]; c >= 0xc0 {
			if tail := b[len(b)-n:]; !utf8.FullRune(tail) && brokenLength(tail) == len(tail) {
				return n
			}
			return 0
		} else if c < 0x80 {
			return 0
		}
	}
	return 0
}

func (r *Runtime) addByteNatives(o *goja.Object) {
	set := func(name string, f func(goja.FunctionCall) goja.Value) { r.set(o, name, f) }
	set("encodingName", func(c goja.FunctionCall) goja.Value {
		return r.vm.ToValue(encodingName(c.Argument(0).String()))
	})
	set("encode", func(c goja.FunctionCall) goja.Value {
		return r.bytes(encode(c.Argument(0).ToString().(goja.String), str(c.Argument(1))))
	})
	set("decode", func(c goja.FunctionCall) goja.Value {
		b, _ := r.view(c.Argument(0))
		return r.decode(b, str(c.Argument(1)))
	})
	set("byteLength", func(c goja.FunctionCall) goja.Value {
		s := c.Argument(0).ToString().(goja.String)
		if encodingName(str(c.Argument(1))) == "utf8" {
			return r.vm.ToValue(utf8Length(s))
		}
		return r.vm.ToValue(len(encode(s, str(c.Argument(1)))))
	})
	set("incomplete", func(c goja.FunctionCall) goja.Value {
		b, _ := r.view(c.Argument(0))
		return r.vm.ToValue(incomplete(b))
	})
	set("validUTF8", func(c goja.FunctionCall) goja.Value {
		b, _ := r.view(c.Argument(0))
		return r.vm.ToValue(utf8.Valid(b))
	})
	set("compare", func(c goja.FunctionCall) goja.Value {
		a, _ := r.view(c.Argument(0))
		b, _ := r.view(c.Argument(1))
		return r.vm.ToValue(strings.Compare(string(a), string(b)))
	})
	set("indexOf", func(c goja.FunctionCall) goja.Value {
		a, _ := r.view(c.Argument(0))
		b, _ := r.view(c.Argument(1))
		from := int(max(0, min(c.Argument(2).ToInteger(), int64(len(a)))))
		if i := strings.Index(string(a[from:]), string(b)); i >= 0 {
			return r.vm.ToValue(from + i)
		}
		return r.vm.ToValue(-1)
	})
	set("lastIndexOf", func(c goja.FunctionCall) goja.Value {
		a, _ := r.view(c.Argument(0))
		b, _ := r.view(c.Argument(1))
		return r.vm.ToValue(strings.LastIndex(string(a), string(b)))
	})
}

// utf8Length gives how many bytes a string has in UTF-8.
func utf8Length(s goja.String) int {
	n := 0
	for i := 0; i < s.Length(); i++ {
		switch c := rune(s.CharAt(i)); {
		case c < 0x80:
			n++
		case c < 0x800:
			n += 2
		case utf16.IsSurrogate(c) && i+1 < s.Length() && utf16.DecodeRune(c, rune(s.CharAt(i+1))) != utf8.RuneError:
			n += 4
			i++
		default:
			n += 3
		}
	}
	return n
}
