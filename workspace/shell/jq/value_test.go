package jq

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// TestVersionsStayApart changes versions of arrays and objects at random and compares all of
// them with plain copies: a version never sees what was done to another.
func TestVersionsStayApart(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 50 {
		first := &array{}
		for i := range r.IntN(100) {
			first.items = append(first.items, i)
		}
		versions, copies := []*array{first}, [][]any{slices.Clone(first.items)}
		for n := range 200 {
			i := r.IntN(len(versions))
			v, c := versions[i], slices.Clone(copies[i])
			switch r.IntN(4) {
			case 0, 1:
				if at := r.IntN(len(c) + 2); at < len(c) {
					v, c[at] = v.with(at, n), n
				} else {
					v = v.with(at, n)
					for len(c) < at {
						c = append(c, nil)
					}
					c = append(c, n)
				}
			case 2:
				more := versions[r.IntN(len(versions))]
				if more.len() > 200 {
					continue
				}
				v, c = v.plus(more.list()), append(c, slices.Clone(more.list())...)
			case 3:
				from := r.IntN(len(c) + 1)
				to := from + r.IntN(len(c)-from+1)
				v, c = part(v, from, to), c[from:to]
			}
			versions, copies = append(versions, v), append(copies, c)
		}
		for i, v := range versions {
			if v.len() != len(copies[i]) || !slices.Equal(v.list(), copies[i]) {
				t.Fatalf("version %d is %v, want %v", i, v.list(), copies[i])
			}
		}
	}
}

func TestObjectsStayApart(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 2))
	type pair struct {
		key string
		v   any
	}
	for range 50 {
		versions, copies := []*object{{}}, [][]pair{nil}
		for n := range 300 {
			i := len(versions) - 1
			if r.IntN(4) == 0 {
				i = r.IntN(len(versions))
			}
			v, c := versions[i], slices.Clone(copies[i])
			key := "k" + strconv.Itoa(r.IntN(80))
			at := slices.IndexFunc(c, func(p pair) bool { return p.key == key })
			switch {
			case r.IntN(10) == 0:
				v = v.without(map[string]bool{key: true})
				if at >= 0 {
					c = slices.Delete(c, at, at+1)
				}
			case at >= 0:
				v, c[at].v = v.with(key, n), n
			default:
				v, c = v.with(key, n), append(c, pair{key, n})
			}
			versions, copies = append(versions, v), append(copies, c)
		}
		for i, v := range versions {
			var got []pair
			for at := range v.len() {
				key, w := v.each(at)
				got = append(got, pair{key, w})
				if found, _ := v.get(key); found != w {
					t.Fatalf("version %d: %s is found as %v, want %v", i, key, found, w)
				}
			}
			if !slices.Equal(got, copies[i]) {
				t.Fatalf("version %d is %v, want %v", i, got, copies[i])
			}
		}
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ program, out string }{
		{`9223372036854775807 + 1`, `9223372036854775808`},
		{`-9223372036854775808 - 1`, `-9223372036854775809`},
		{`9223372036854775808 - 1 | . == 9223372036854775807`, `true`},
		{`4294967296 * 4294967296`, `18446744073709551616`},
		{`[18446744073709551616 / 4294967296, 7 / 2, 6 / 3, 1 / 3]`, `[4294967296,3.5,2,0.3333333333333333]`},
		{`[18446744073709551617 % 10, -7 % 3, 7 % -3, 5 % -1]`, `[7,-1,1,0]`},
		{`0 * -1, -0, [0] == [-0]`, "-0\n-0\ntrue"},
		{`100000000000000000000 == 100000000000000000001, 1e2 == 100`, "false\ntrue"},
		{`[9007199254740993, 9007199254740992.5, 1, "a", null] | sort`, `[null,1,9007199254740992.5,9007199254740993,"a"]`},
		{`-9223372036854775808 | length, abs, -.`, "9223372036854775808\n9223372036854775808\n9223372036854775808"},
		{`1.10, 0.00001, 1.5e3, 1.10 * 1, [1.0] == [1]`, "1.10\n0.00001\n1500\n1.1\ntrue"},
		{`reduce range(1; 26) as $i (1; . * $i)`, `15511210043330985984000000`},
		{`[range(0; 1; 0.25)], [range(3; 0; -1)]`, "[0,0.25,0.5,0.75]\n[3,2,1]"},
		{`nan < nan, nan > nan, nan == nan, ([nan, 1] | min | isnan)`, "true\nfalse\nfalse\ntrue"},
		{`infinite, -infinite | floor`, "1.7976931348623157e+308\n-1.7976931348623157e+308"},
	} {
		t.Run(row.program, func(t *testing.T) { t.Parallel(); want(t, row.program, row.out) })
	}
}
