package cli

import (
	"runtime"

	"github.com/spf13/cobra"

	"github.com/seed-cf6d8d1b/swarm"
)

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
				}{swarm.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH})
			}
			return a.printf("swarm %s (%s %s/%s)\n", swarm.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		},
	}
}
