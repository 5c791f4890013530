package cli

import (
	"runtime"

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
					JSON    int    `json:"json_version"`
				}{swarm.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH, jsonVersion})
			}
			return a.printf("swarm %s (%s %s/%s)\n", swarm.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		},
	}
}
