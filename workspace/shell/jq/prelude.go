package jq

import (
	"regexp"
	"strings"

	"github.com/itchyny/gojq"
)

// definition is a function of jq that the engine lacks or does differently.
// The one without a name is always there.
type definition struct{ name, text string }

// prelude is in the order in which they may use each other.
var prelude = []definition{
	{"", `def _each: if type == "object" then .[_keys[]] else .[] end;`},
	{"keys_unsorted", `def keys_unsorted: if type == "object" then _keys else keys end;`},
	{"to_entries", `def to_entries: [(if type == "object" then _keys else keys end)[] as $k | {key: $k, value: .[$k]}];`},
	{"from_entries", `def _from_entries: from_entries; def from_entries: _entries | _from_entries;`},
	{"with_entries", `def with_entries(f): [(if type == "object" then _keys else keys end)[] as $k | {key: $k, value: .[$k]}] | [.[] | f] | _entries | from_entries;`},
	{"map", `def map(f): [_each | f];`},
	{"add", `def _add: add; def add: if type == "object" then [_each] else . end | _add;`},
	{"recurse", `def recurse: recurse(_each?);`},
	{"paths", `def paths: path(recurse(_each?)) | select(. != []); def paths(f): path(recurse(_each?) | select(f)) | select(. != []);`},
	{"leaf_paths", `def leaf_paths: path(recurse(_each?) | scalars) | select(. != []);`},
	{"tostream", `def tostream: path(def r: (_each? | r), .; r) as $p | getpath($p) | reduce path(_each?) as $q ([$p, .]; [$p + $q]);`},
	{"setpath", `def _setpath($p; $v): setpath($p; $v); def setpath($p; $v): _setpath($p | _named; $v);`},
	{"capture", `def capture($re; $flags): match($re; $flags) | .captures | _entries | [.[] | select(.name != null) | {key: .name, value: .string}] | from_entries;
def capture($re): if $re | type == "array" then capture($re[0]; $re[1]) else capture($re; null) end;`},
	{"INDEX", `def INDEX(stream; f): reduce stream as $row ({}; .[$row | f | tostring | _named] = $row); def INDEX(f): INDEX(_each; f);`},
	{"tostring", `def tostring: _text;`},
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
	named["recurse"] = named["recurse"] || strings.Contains(program, "..")
	named["tojson"] = named["tojson"] || strings.Contains(program, "@json")
	var b strings.Builder
	for _, d := range prelude {
		if all || named[d.name] || d.name == "" {
			b.WriteString(d.text)
			b.WriteByte('\n')
		}
	}
	return gojq.Parse(b.String())
}
