package jq

import (
	"regexp"
	"strings"

	"github.com/itchyny/gojq"
)

// definition is a function of jq that the engine lacks or does differently.
type definition struct{ name, text string }

// prelude is in the order in which they may use each other.
var prelude = []definition{
	{"keys_unsorted", `def keys_unsorted: keys;`},
	{"leaf_paths", `def leaf_paths: paths(scalars);`},
	{"recurse_down", `def recurse_down: recurse;`},
	{"scalars_or_empty", `def scalars_or_empty: scalars;`},
	{"pow10", `def pow10: exp10;`},
	{"ltrimstr", `def ltrimstr($x): _ltrimstr($x);`},
	{"rtrimstr", `def rtrimstr($x): _rtrimstr($x);`},
	{"tonumber", `def tonumber: _tonumber;`},
	{"fromjson", `def fromjson: _fromjson;`},
	{"tojson", `def tojson: _tojson;`},
	{"now", `def now: _now;`},
	{"localtime", `def localtime: _localtime;`},
	{"strflocaltime", `def strflocaltime($f): _strflocaltime($f);`},
	{"date", `def date: todate;`},
	{"dateadd", `def dateadd(u; n): . + n;`},
	{"datesub", `def datesub(u; n): . - n;`},
	{"limit", `def limit($n; g): if $n > 0 then label $out | foreach g as $item (0; . + 1; $item, if . >= $n then break $out else empty end) elif $n == 0 then empty else g end;`},
	{"get_search_list", `def get_search_list: _search_list;`},
}

var nameOf = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)

// preludeFor gives the definitions that a program names. With all it gives every one: a
// module may name them.
func preludeFor(program string, all bool) (*gojq.Query, error) {
	named := map[string]bool{}
	for _, name := range nameOf.FindAllString(program, -1) {
		named[name] = true
	}
	var b strings.Builder
	for _, d := range prelude {
		if all || named[d.name] {
			b.WriteString(d.text)
			b.WriteByte('\n')
		}
	}
	if b.Len() == 0 {
		return nil, nil
	}
	return gojq.Parse(b.String())
}
