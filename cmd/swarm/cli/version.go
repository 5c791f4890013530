package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/seed-cf6d8d1b/swarm"
)

// jsonVersion is raised when a field that --json prints changes its meaning or goes.
const jsonVersion = 1

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Say which version this is",
		Example: "  swarm version",
		GroupID: groupOperate,
		Args:    arguments(),
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				return a.value(struct {
					Version string `json:"version"`
					Go      string `json:"go"`
					OS      string `json:"os"`
					Arch    string `json:"arch"`
					Commit  string `json:"commit,omitempty"`
					JSON    int    `json:"json_version"`
				}{swarm.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH, commit(debug.ReadBuildInfo()), jsonVersion})
			}
			return a.printf("%s", versionText())
		},
	}
}

// versionText is what version and --version print.
func versionText() string {
	text := fmt.Sprintf("swarm %s (%s %s/%s", swarm.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if c := commit(debug.ReadBuildInfo()); c != "" {
		text += ", commit " + c
	}
	return text + ")\n"
}

// commit names the commit that a program was built from, "" when that is not known. With
// a + there were changes beside it.
func commit(info *debug.BuildInfo, ok bool) string {
	if !ok {
		return ""
	}
	rev, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			rev = s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+"
		}
	}
	if rev == "" {
		return ""
	}
	return rev + changed
}
