package strftime

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"encoding/binary"
	"io"
	"strings"
	"sync"
	"time"
)

// zoneInfo is the IANA time zone database, which is in the public domain, in the form of
// Go's distribution: a zip archive with one file a zone.
//
//go:embed zoneinfo.zip
var zoneInfo []byte

// zones is the archive by the names of the zones. It is read once, at the first TZ that
// is not UTC.
var zones = sync.OnceValue(func() map[string]*zip.File {
	files := map[string]*zip.File{}
	archive, err := zip.NewReader(bytes.NewReader(zoneInfo), int64(len(zoneInfo)))
	if err != nil {
		panic("the embedded zone data is broken: " + err.Error())
	}
	for _, f := range archive.File {
		files[f.Name] = f
	}
	return files
})

// Zone gives the time zone of a value of TZ: a name of the database, a rule such as
// "EST5EDT,M3.2.0,M11.1.0" or "<+03>-3", or "" for UTC. As in the C library, what means
// nothing is UTC under the letters that it begins with.
func Zone(tz string) *time.Location {
	name := strings.TrimPrefix(tz, ":")
	if name == "" || name == "UTC" {
		return time.UTC
	}
	if loc := named(name); loc != nil {
		return loc
	}
	if loc := ruled(name); loc != nil {
		return loc
	}
	letters := name[:lettersIn(name)]
	if len(letters) < 3 {
		letters = ""
	}
	return time.FixedZone(letters, 0)
}

// Known says whether a value of TZ names a zone of the database.
func Known(tz string) bool { return zones()[strings.TrimPrefix(tz, ":")] != nil }

func named(name string) *time.Location {
	f := zones()[name]
	if f == nil {
		return nil
	}
	r, err := f.Open()
	if err != nil {
		return nil
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		return nil
	}
	loc, err := time.LoadLocationFromTZData(name, data)
	if err != nil {
		return nil
	}
	return loc
}

// ruled gives the zone of a rule by way of zone data that holds nothing but the rule.
func ruled(rule string) *time.Location {
	name, offset, rest, ok := ruleHead(rule)
	if !ok {
		return nil
	}
	if rest == "" {
		return time.FixedZone(name, offset)
	}
	if !strings.Contains(rest, ",") {
		rule += ",M3.2.0,M11.1.0" // the rule of the C library when there is none
	}
	loc, err := time.LoadLocationFromTZData(rule, ruleData(name, offset, rule))
	if err != nil {
		return nil
	}
	return loc
}

// ruleHead reads the name and the offset of standard time, in seconds east of UTC.
func ruleHead(rule string) (name string, offset int, rest string, ok bool) {
	if strings.HasPrefix(rule, "<") {
		end := strings.IndexByte(rule, '>')
		if end < 0 {
			return "", 0, "", false
		}
		name, rest = rule[1:end], rule[end+1:]
	} else {
		n := lettersIn(rule)
		if n < 3 {
			return "", 0, "", false
		}
		name, rest = rule[:n], rule[n:]
	}
	sign := -1
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		if rest[0] == '-' {
			sign = 1
		}
		rest = rest[1:]
	}
	unit := 3600
	for part := 0; part < 3; part++ {
		v, n := 0, 0
		for n < len(rest) && n < 3 && rest[n] >= '0' && rest[n] <= '9' {
			v = v*10 + int(rest[n]-'0')
			n++
		}
		if n == 0 {
			return "", 0, "", false
		}
		offset += v * unit
		unit /= 60
		rest = rest[n:]
		if !strings.HasPrefix(rest, ":") {
			break
		}
		rest = rest[1:]
	}
	return name, sign * offset, rest, true
}

func lettersIn(s string) int {
	n := 0
	for n < len(s) && (s[n]|0x20 >= 'a' && s[n]|0x20 <= 'z') {
		n++
	}
	return n
}

// ruleData is a file of zone data, version 2, with one type, one change long ago and the
// rule that holds since.
func ruleData(name string, offset int, rule string) []byte {
	block := func(b []byte, size int) []byte {
		b = append(append(b, "TZif2"...), make([]byte, 15)...)
		for _, n := range []int{0, 0, 0, 1, 1, len(name) + 1} { // isut, isstd, leap, times, types, letters
			b = binary.BigEndian.AppendUint32(b, uint32(n))
		}
		if size == 4 {
			b = binary.BigEndian.AppendUint32(b, 1<<31)
		} else {
			b = binary.BigEndian.AppendUint64(b, 1<<63)
		}
		b = append(b, 0)
		b = binary.BigEndian.AppendUint32(b, uint32(int32(offset)))
		b = append(b, 0, 0)
		return append(append(b, name...), 0)
	}
	data := block(block(nil, 4), 8)
	return append(data, "\n"+rule+"\n"...)
}
