package js

import (
	"strings"
	"testing"

	"github.com/dop251/goja/parser"
)

func TestRewriteKeepsWhatTheEngineKnows(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"const o = { catch: 1, async: 2, await: 3, import: 4, export: 5, of: 6 }; o.catch + o.import",
		"const a = b / c / d // catch (e) { await\n", "const s = 'catch (e) { import x }'", "`catch ${`import ${a}`} export`", "/catch (e) [/]\"'/.test(x)",
		"p.catch(e => 1)", "const async = 1; async * 2", "x = { async() {}, async a() {}, get async() {} }",
	} {
		got, err := rewrite(src)
		if err != nil || got != src {
			t.Errorf("%q became %q, %v", src, got, err)
		}
	}
}

func TestRewriteKeepsLines(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"try {\n} catch ({\n a,\n b\n}) {\n}", "async () => {\n for await (const {\n a\n } of b)\n c\n}", "async function*\nf()\n{\n yield* [\n1\n]\n await x\n}",
		"const o = {\n async *a(x) {\n  for await (const y of x) { yield y }\n  return await (async () => { await 1; return 2 })()\n }\n}",
		"class A { static async *b() { yield await this.c.d(1)[2]`x` + 1 } async *[Symbol.asyncIterator]() {} }", "#!/usr/bin/env node\ntry {} catch (e) {}",
	} {
		got, err := rewrite(src)
		if err != nil || strings.Count(got, "\n") != strings.Count(src, "\n") {
			t.Errorf("%q became %q, %v", src, got, err)
		}
		if _, err := parser.ParseFile(nil, "", got, 0, parser.WithDisableSourceMaps); err != nil {
			t.Errorf("%q became %q, which does not compile: %v", src, got, err)
		}
	}
}

func FuzzRewrite(f *testing.F) {
	for _, seed := range []string{"try { a } catch (e) { `${b}` }", "async function* f() { for await (const x of y) yield* /[/]/.z }", "}])({[`${`", "'\\", "/*", "import", "async*(", "catch({", "#!"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		got, err := rewrite(src)
		if err == nil && strings.Count(got, "\n") < strings.Count(src, "\n") {
			t.Errorf("%q became %q: lines are gone", src, got)
		}
	})
}

func TestURL(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ in, base, host, path, query string }{
		{"http://A.com:80/a/./b/../c?x#y", "", "a.com", "/a/c", "?x"},
		{"https:x", "", "x", "/", ""},
		{"../d?q", "http://h/a/b/c", "h", "/a/d", "?q"},
		{"http://bücher.de", "", "xn--bcher-kva.de", "/", ""},
		{"http://[::1]/", "", "[::1]", "/", ""},
	} {
		var base *urlParts
		if row.base != "" {
			base, _ = parseURL(row.base, nil)
		}
		u, ok := parseURL(row.in, base)
		if !ok || u.host != row.host || u.path != row.path || u.query != row.query {
			t.Errorf("%q: %+v, %v, want %+v", row.in, u, ok, row)
		}
	}
	for _, in := range []string{"", "x", "http://", "http://a b", "http://h:x", "http://1.2.3.999"} {
		if u, ok := parseURL(in, nil); ok {
			t.Errorf("%q: %+v is no URL", in, u)
		}
	}
}
