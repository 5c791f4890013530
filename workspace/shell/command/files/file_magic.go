package files

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"time"
)

// magic is what a kind of binary data begins with.
type magic struct {
	at    int
	bytes string
	words string
	mime  string
}

var magics = []magic{
	{0, "%PDF-", "", "application/pdf"},
	{0, "\x89PNG\r\n\x1a\n", "", "image/png"},
	{0, "GIF8", "", "image/gif"},
	{0, "\xff\xd8\xff", "JPEG image data", "image/jpeg"},
	{0, "BM", "", "image/bmp"},
	{0, "\x1f\x8b", "", "application/gzip"},
	{0, "BZh", "", "application/x-bzip2"},
	{0, "\xfd7zXZ\x00", "XZ compressed data", "application/x-xz"},
	{0, "\x28\xb5\x2f\xfd", "Zstandard compressed data (v0.8+)", "application/zstd"},
	{0, "7z\xbc\xaf\x27\x1c", "7-zip archive data, version 0.4", "application/x-7z-compressed"},
	{0, "PK\x03\x04", "", "application/zip"},
	{0, "PK\x05\x06", "Zip archive data (empty)", "application/zip"},
	{0, "\x7fELF", "", "application/x-executable"},
	{0, "SQLite format 3\x00", "SQLite 3.x database", "application/vnd.sqlite3"},
	{0, "\xca\xfe\xba\xbe", "compiled Java class data", "application/x-java-applet"},
	{0, "\x00asm", "WebAssembly (wasm) binary module version 0x1 (MVP)", "application/wasm"},
	{0, "RIFF", "", "application/octet-stream"},
	{0, "OggS", "Ogg data", "application/ogg"},
	{0, "fLaC", "FLAC audio bitstream data", "audio/flac"},
	{0, "ID3", "Audio file with ID3 version 2", "audio/mpeg"},
	{0, "\x00\x00\x01\x00", "MS Windows icon resource", "image/vnd.microsoft.icon"},
	{257, "ustar\x0000", "POSIX tar archive", "application/x-tar"},
	{257, "ustar  \x00", "POSIX tar archive (GNU)", "application/x-tar"},
}

// kindOf says what data is, from its first bytes.
func kindOf(b []byte) kind {
	if len(b) == 0 {
		return kind{"empty", "inode/x-empty", "binary"}
	}
	for _, m := range magics {
		if len(b) < m.at+len(m.bytes) || string(b[m.at:m.at+len(m.bytes)]) != m.bytes {
			continue
		}
		words, mime := m.words, m.mime
		if words == "" {
			words, mime = details(m, b)
		}
		if words != "" {
			return kind{words, mime, "binary"}
		}
	}
	return textKind(b)
}

// details gives the words of a kind that has more to say. "" when it is none after all.
func details(m magic, b []byte) (words, mime string) {
	little, big := binary.LittleEndian, binary.BigEndian
	switch m.bytes {
	case "%PDF-":
		version, _, _ := strings.Cut(string(b[5:min(len(b), 12)]), "\n")
		return "PDF document, version " + strings.TrimSpace(version), m.mime
	case "\x89PNG\r\n\x1a\n":
		if len(b) < 29 {
			return "PNG image data", m.mime
		}
		colour := map[byte]string{0: " grayscale", 2: "/color RGB", 3: " colormap", 4: " gray+alpha", 6: "/color RGBA"}[b[25]]
		mode := "non-interlaced"
		if b[28] != 0 {
			mode = "interlaced"
		}
		return fmt.Sprintf("PNG image data, %d x %d, %d-bit%s, %s", big.Uint32(b[16:]), big.Uint32(b[20:]), b[24], colour, mode), m.mime
	case "GIF8":
		if len(b) < 10 {
			return "", ""
		}
		return fmt.Sprintf("GIF image data, version %s, %d x %d", b[3:6], little.Uint16(b[6:]), little.Uint16(b[8:])), m.mime
	case "BM":
		if len(b) < 30 || little.Uint32(b[14:]) != 40 {
			return "", ""
		}
		return fmt.Sprintf("PC bitmap, Windows 3.x format, %d x %d x %d", little.Uint32(b[18:]), little.Uint32(b[22:]), little.Uint16(b[28:])), m.mime
	case "\x1f\x8b":
		return gzipDetails(b), m.mime
	case "BZh":
		if len(b) < 4 || b[3] < '1' || b[3] > '9' {
			return "", ""
		}
		return fmt.Sprintf("bzip2 compressed data, block size = %c00k", b[3]), m.mime
	case "PK\x03\x04":
		return zipDetails(b, m.mime)
	case "\x7fELF":
		return elfDetails(b), m.mime
	case "RIFF":
		if len(b) < 12 {
			return "", ""
		}
		switch string(b[8:12]) {
		case "WAVE":
			return "RIFF (little-endian) data, WAVE audio", "audio/x-wav"
		case "WEBP":
			return "RIFF (little-endian) data, Web/P image", "image/webp"
		}
		return "RIFF (little-endian) data", m.mime
	}
	return "", ""
}

func gzipDetails(b []byte) string {
	words := "gzip compressed data"
	if len(b) < 10 {
		return words
	}
	if b[3]&8 != 0 {
		if name, _, ok := bytes.Cut(b[10:], []byte{0}); ok {
			words += `, was "` + string(name) + `"`
		}
	}
	if t := binary.LittleEndian.Uint32(b[4:]); t != 0 {
		words += ", last modified: " + time.Unix(int64(t), 0).UTC().Format("Mon Jan _2 15:04:05 2006")
	}
	switch b[8] {
	case 2:
		words += ", max compression"
	case 4:
		words += ", max speed"
	}
	if system, ok := map[byte]string{0: "FAT filesystem (MS-DOS, OS/2, NT)", 3: "Unix"}[b[9]]; ok {
		words += ", from " + system
	}
	return words
}

func zipDetails(b []byte, mime string) (string, string) {
	for _, m := range [][2]string{{"mimetypeapplication/epub+zip", "EPUB document"}, {"word/", "Microsoft Word 2007+"}, {"xl/", "Microsoft Excel 2007+"}, {"ppt/", "Microsoft PowerPoint 2007+"}} {
		if bytes.Contains(b[:min(len(b), 4096)], []byte(m[0])) {
			return m[1], mime
		}
	}
	if len(b) < 10 {
		return "Zip archive data", mime
	}
	method := map[byte]string{0: "store", 8: "deflate"}[b[8]]
	return fmt.Sprintf("Zip archive data, at least v%d.%d to extract, compression method=%s", b[4]/10, b[4]%10, method), mime
}

func elfDetails(b []byte) string {
	if len(b) < 20 {
		return "ELF"
	}
	words := "ELF " + map[byte]string{1: "32-bit", 2: "64-bit"}[b[4]] + " " + map[byte]string{1: "LSB", 2: "MSB"}[b[5]]
	words += map[byte]string{1: " relocatable", 2: " executable", 3: " shared object", 4: " core file"}[b[16]]
	if machine := map[byte]string{3: "Intel 80386", 40: "ARM", 62: "x86-64", 183: "ARM aarch64"}[b[18]]; machine != "" {
		words += ", " + machine
	}
	return words + ", version 1 (SYSV)"
}
