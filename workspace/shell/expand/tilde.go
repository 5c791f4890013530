package expand

// tilde adds the expansion of the tilde that a literal begins with, and gives what of the
// literal is left. last: the word ends with the literal. A user's name stays as it is, as
// there are no users.
func (b *builder) tilde(s string, last bool) string {
	end := len(s)
	for i := 1; i < len(s); i++ {
		if s[i] == '/' || b.colon && s[i] == ':' {
			end = i
			break
		}
	}
	if end == len(s) && !last {
		b.plain(s[:1])
		return s[1:]
	}
	dir, ok := "", false
	switch s[:end] {
	case "~":
		dir, ok = b.c.home(), true
	case "~+":
		dir, ok = b.c.Shell.Get("PWD").String(), b.c.Shell.Get("PWD").Set()
	case "~-":
		dir, ok = b.c.Shell.Get("OLDPWD").String(), b.c.Shell.Get("OLDPWD").Set()
	}
	if !ok {
		b.plain(s[:1])
		return s[1:]
	}
	b.open = true
	b.quoted(dir)
	return s[end:]
}

func (c *Config) home() string {
	if v := c.Shell.Get("HOME"); v.Set() {
		return v.String()
	}
	return "/"
}
