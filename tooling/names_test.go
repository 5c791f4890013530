package tooling

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	t.Parallel()
	ids := []string{
		"builtin:agent.delegate", "extension/notes:write", "extension/notes:Read", "mcp/github:search",
		"mcp/docs:catalog.query", "mcp/docs:catalog_query", "mcp/docs:查询",
		"mcp/warehouse:list_all_quarterly_inventory_reports_for_region_north_and_export",
		"mcp/warehouse:list_all_quarterly_inventory_reports_for_region_south_and_export",
		"mcp/a-very-long-server-registration-key-used-in-production-eu:ping",
	}
	want := map[string]string{
		ids[0]: "agent_delegate",
		ids[1]: "write__2",
		ids[2]: "Read__2",
		ids[3]: "mcp__github__search",
		ids[4]: "mcp__docs__catalog_query",
		ids[5]: "mcp__docs__catalog_query__2",
		ids[6]: "mcp__docs__tool_47bf7a1b",
		ids[7]: "mcp__warehouse__list_all_quarterly_inventory_reports_fo_f850a69c",
		ids[8]: "mcp__warehouse__list_all_quarterly_inventory_reports_fo_51702de3",
		ids[9]: "mcp__a-very-long-server-registration-key-used-in__ping_e1112bea",
	}
	got := Names(ids)
	for _, id := range ids {
		if got[id] != want[id] {
			t.Errorf("%s is named %q, want %q", id, got[id], want[id])
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		if !maps.Equal(Names(ids), want) {
			t.Fatal("the order of ids has influence")
		}
	}
}

func TestNamesOfSets(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 80)
	rows := []struct {
		name string
		ids  []string
		want []string
	}{
		{
			"names-2 two long names that differ in the middle",
			[]string{"mcp/s:" + strings.Repeat("x", 40) + "1" + strings.Repeat("y", 39), "mcp/s:" + strings.Repeat("x", 40) + "2" + strings.Repeat("y", 39)},
			nil,
		},
		{
			"names-3 two servers and a built-in called read",
			[]string{"builtin:read", "mcp/a:read", "mcp/b:read"},
			[]string{"read", "mcp__a__read", "mcp__b__read"},
		},
		{
			"names-4 extensions",
			[]string{"extension/a:write", "extension/a:inspect", "extension/b:inspect"},
			[]string{"write__2", "inspect", "inspect__2"},
		},
		{
			"reserved although the program does not have it",
			[]string{"extension/a:tape_info", "extension/a:task_return", "extension/a:image_generate"},
			[]string{"tape_info__2", "task_return__2", "image_generate__2"},
		},
		{
			"case only",
			[]string{"extension/a:look", "extension/a:Look", "extension/b:LOOK"},
			[]string{"look__2", "Look", "LOOK__3"},
		},
		{
			"other characters of extensions",
			[]string{"extension/a:1st", "extension/a:-x", "extension/a:a.b/c", "extension/a:..."},
			[]string{"_1st", "_-x", "a_b_c", "tool_" + digest("extension/a:...")[:8]},
		},
		{
			"runs and outer characters of servers",
			[]string{"mcp/a-b:__x..y--", "mcp/a:---"},
			[]string{"mcp__a-b__x_y", "mcp__a__tool_" + digest("mcp/a:---")[:8]},
		},
		{
			"long extension names",
			[]string{"extension/a:" + long},
			[]string{strings.Repeat("a", 55) + "_" + digest("extension/a:" + long)[:8]},
		},
		{
			"a taken name of 64 bytes is cut",
			[]string{"extension/a:" + strings.Repeat("b", 64), "extension/b:" + strings.Repeat("b", 64)},
			[]string{strings.Repeat("b", 64), strings.Repeat("b", 61) + "__2"},
		},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			names := Names(r.ids)
			back := slices.Clone(r.ids)
			slices.Reverse(back)
			if !maps.Equal(names, Names(back)) {
				t.Error("the order has influence")
			}
			seen := map[string]bool{}
			for i, id := range r.ids {
				if r.want != nil && names[id] != r.want[i] {
					t.Errorf("%s is named %q, want %q", id, names[id], r.want[i])
				}
				lower := strings.ToLower(names[id])
				if !ValidName(names[id]) || seen[lower] {
					t.Errorf("%q is not valid or not unique", names[id])
				}
				seen[lower] = true
			}
		})
	}
}

func TestNamesOfManyEqualBases(t *testing.T) {
	t.Parallel()
	var ids []string
	for i := range 300 {
		ids = append(ids, "extension/e"+strings.Repeat("x", i%7)+thousandsKey(i)+":"+strings.Repeat("n", 64))
	}
	names := Names(ids)
	seen := map[string]bool{}
	for _, id := range ids {
		if !ValidName(names[id]) || seen[names[id]] {
			t.Fatalf("%s is named %q", id, names[id])
		}
		seen[names[id]] = true
	}
}

func thousandsKey(i int) string { return strings.ReplaceAll(thousands(i), ",", "") }

func TestValidName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"a": true, "_": true, "A-b_9": true, strings.Repeat("x", 64): true,
		"": false, "1a": false, "-a": false, "a.b": false, "ä": false, strings.Repeat("x", 65): false,
	} {
		if ValidName(name) != want {
			t.Errorf("%q: want %v", name, want)
		}
	}
}
