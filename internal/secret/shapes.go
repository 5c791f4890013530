package secret

import (
	"regexp"
	"strings"
	"sync"
)

// likely is put in place of a text that looks like a key.
const likely = "{{secret:unknown}}"

// shapes are the forms of well-known keys. Each begins with a word of marks, so that texts
// without one are not looked through.
var shapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(strings.Join([]string{
		`\bsk-[A-Za-z0-9_-]{16,}`,              // keys of model services
		`\bgh[pousr]_[A-Za-z0-9]{20,}`,         // tokens of a code host
		`\bgithub_pat_[A-Za-z0-9_]{20,}`,       //
		`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`,        // access keys of a cloud
		`\bAIza[A-Za-z0-9_-]{35}`,              //
		`\bxox[abeprs]-[A-Za-z0-9-]{10,}`,      // tokens of a chat service
		`\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}`, // JSON web tokens
		`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)`,
	}, "|"))
})

var marks = []string{"sk-", "gh", "github_pat_", "AKIA", "ASIA", "AIza", "xox", "eyJ", "PRIVATE KEY-----"}

// Likely puts {{secret:unknown}} in place of what looks like a key of a well-known service,
// a JSON web token, or a private key in PEM. It is for logs and screens: a record that was
// masked by a guess would change what a resumed run says.
func Likely(text string) string {
	for _, mark := range marks {
		if strings.Contains(text, mark) {
			return shapes().ReplaceAllLiteralString(text, likely)
		}
	}
	return text
}
