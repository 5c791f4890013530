package cli

import (
	"runtime/debug"
	"testing"
)

func TestCommit(t *testing.T) {
	t.Parallel()
	rev, changed := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef0123"}, debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	for _, row := range []struct {
		name string
		info *debug.BuildInfo
		want string
	}{
		{"nothing is known", nil, ""},
		{"no commit", &debug.BuildInfo{Settings: []debug.BuildSetting{changed}}, ""},
		{"a commit", &debug.BuildInfo{Settings: []debug.BuildSetting{rev, {Key: "vcs.modified", Value: "false"}}}, "0123456789ab"},
		{"changes beside it", &debug.BuildInfo{Settings: []debug.BuildSetting{changed, rev}}, "0123456789ab+"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if got := commit(row.info, row.info != nil); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}
