package expand

import (
	"context"
	"path"
	"strconv"
	"strings"
	"time"
)

// Prompt expands a text as PS1, PS4 and ${name@P}: the escapes of prompts such as \u and
// \w, then parameters, commands and arithmetic.
func (c *Config) Prompt(ctx context.Context, text string) (string, error) {
	c, err := c.deeper()
	if err != nil {
		return "", err
	}
	decoded := text
	if strings.IndexByte(text, '\\') >= 0 {
		decoded = c.promptEscapes(text)
	}
	if !strings.ContainsAny(decoded, "$`\\") {
		return decoded, nil
	}
	w, err := parseDocument(decoded)
	if err != nil || w == nil {
		return decoded, err
	}
	return c.Document(ctx, w)
}

func (c *Config) promptEscapes(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch ch := s[i]; ch {
		case 'a', 'r', 'n':
			b.WriteByte(map[byte]byte{'a': 7, 'r': '\r', 'n': '\n'}[ch])
		case 'e':
			b.WriteByte(0x1b)
		case 'u':
			b.WriteString(c.variableOr("USER", "agent"))
		case 'h', 'H':
			host := c.variableOr("HOSTNAME", "swarm")
			if ch == 'h' {
				host, _, _ = strings.Cut(host, ".")
			}
			b.WriteString(host)
		case 's':
			b.WriteString(path.Base(c.variableOr("0", "bash")))
		case 'w', 'W':
			b.WriteString(c.promptDir(ch == 'W'))
		case 'v', 'V':
			version := c.variableOr("BASH_VERSION", "5.2")
			if version, _, _ = strings.Cut(version, "("); ch == 'v' && strings.Count(version, ".") > 1 {
				version = version[:strings.LastIndexByte(version, '.')]
			}
			b.WriteString(version)
		case '$':
			if c.variableOr("EUID", "1000") == "0" {
				b.WriteByte('#')
			} else {
				b.WriteString(`\$`)
			}
		case '!', '#':
			b.WriteByte('1')
		case 'j':
			b.WriteByte('0')
		case 'd', 't', 'T', '@', 'A':
			layout := map[byte]string{'d': "Mon Jan 02", 't': "15:04:05", 'T': "03:04:05", '@': "03:04 PM", 'A': "15:04"}[ch]
			seconds, _ := strconv.ParseInt(c.variableOr("EPOCHSECONDS", "0"), 10, 64)
			b.WriteString(time.Unix(seconds, 0).UTC().Format(layout))
		case '[', ']':
		case '\\':
			b.WriteString(`\\`)
		case '0', '1', '2', '3', '4', '5', '6', '7':
			n, used := digits(s[i:], 3, 8)
			b.WriteByte(byte(n))
			i += used - 1
		default:
			b.WriteByte('\\')
			b.WriteByte(ch)
		}
	}
	return b.String()
}

// promptDir gives the working directory, home as a tilde, or its last segment.
func (c *Config) promptDir(last bool) string {
	dir := c.variableOr("PWD", c.Dir)
	home := c.home()
	switch {
	case dir == home && home != "/":
		return "~"
	case last:
		return path.Base(dir)
	case home != "/" && strings.HasPrefix(dir, home+"/"):
		return "~" + dir[len(home):]
	}
	return dir
}

func (c *Config) variableOr(name, other string) string {
	if v := c.Shell.Get(name); v.Set() && v.String() != "" {
		return v.String()
	}
	return other
}
