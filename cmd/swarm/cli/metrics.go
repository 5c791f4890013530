package cli

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/spf13/cobra"

	"github.com/seed-cf6d8d1b/swarm"
	"github.com/seed-cf6d8d1b/swarm/config"
)

// seriesRow is one series as it is listed. Count is of a running program only: how many
// combinations of labels it has.
type seriesRow struct {
	swarm.Series
	Count int `json:"count,omitempty"`
}

func (a *app) metricsCommand() *cobra.Command {
	var addr string
	cmd := &cobra.Command{
		Use:   "metrics TEAM",
		Short: "List the series for Prometheus",
		Long: "Lists the series that a run of TEAM exports with --metrics: name, type, labels and\n" +
			"meaning. With --addr the program that serves there is asked for what it exports now.",
		Example: "  swarm metrics hello",
		GroupID: groupOperate,
		Args:    arguments("[TEAM]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 0 && addr != "":
				return usage("TEAM and --addr are two questions; leave one out")
			case addr != "":
				return a.metricsOf(cmd.Context(), addr)
			case len(args) == 0:
				return usage("TEAM is missing; or ask a running program by --addr HOST:PORT")
			}
			return a.metricsFor(args[0])
		},
	}
	cmd.Flags().StringVar(&addr, "addr", "", "HOST:PORT of a running program; without HOST this machine")
	return cmd
}

// metricsFor lists what a run of a team exports, and the label values that the team gives.
func (a *app) metricsFor(path string) error {
	team, err := config.Load(path)
	if err != nil {
		return err
	}
	var rows []seriesRow
	for _, s := range swarm.ExportedSeries() {
		rows = append(rows, seriesRow{Series: s})
	}
	values := map[string][]string{"team": {team.Name}, "agent": slices.Sorted(maps.Keys(team.Agents)), "provider": {}, "model": {}}
	for _, name := range slices.Sorted(maps.Keys(team.Models)) {
		m := team.Models[name]
		values["provider"] = append(values["provider"], m.Provider)
		values["model"] = append(values["model"], m.Model)
	}
	for _, label := range []string{"provider", "model"} {
		slices.Sort(values[label])
		values[label] = slices.Compact(values[label])
	}
	if a.json {
		return a.value(struct {
			Team   string              `json:"team"`
			Series []seriesRow         `json:"series"`
			Values map[string][]string `json:"values"`
		}{team.Name, rows, values})
	}
	if err := a.series(rows); err != nil {
		return err
	}
	for _, label := range []string{"team", "agent", "provider", "model"} {
		if err := a.printf("%s: %s\n", label, strings.Join(values[label], ", ")); err != nil {
			return err
		}
	}
	return nil
}

// series prints a table.
func (a *app) series(rows []seriesRow) error {
	var g grid
	g.row("SERIES", "TYPE", "MEANING")
	for _, r := range rows {
		name := r.Name
		if len(r.Labels) > 0 {
			name += "{" + strings.Join(r.Labels, ",") + "}"
		}
		kind := r.Type
		if r.Count > 0 {
			kind = fmt.Sprintf("%d %s", r.Count, kind)
		}
		g.row(name, kind, plain(r.Help, 200))
	}
	return g.print(a)
}

// listed sorts names as [swarm.ExportedSeries] does, and behind them those of others.
func listed(names []string) []string {
	place, known := map[string]int{}, swarm.ExportedSeries()
	for i, s := range known {
		place[s.Name] = i - len(known)
	}
	slices.SortStableFunc(names, func(a, b string) int { return place[a] - place[b] })
	return names
}

// askTime is how long a program that serves metrics may take to answer.
const askTime = 10 * time.Second

// metricsOf lists what a running program exports.
func (a *app) metricsOf(ctx context.Context, addr string) error {
	host, port, err := address("addr", addr)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	url := "http://" + net.JoinHostPort(host, port) + "/metrics"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "text/plain")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("%s does not answer: %w; is a program at work there that was begun with --metrics?", url, err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", url, res.Status)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(res.Body)
	if err != nil {
		return fmt.Errorf("%s does not speak the format of Prometheus: %w", url, err)
	}
	rows := []seriesRow{}
	for _, name := range listed(slices.Sorted(maps.Keys(families))) {
		f := families[name]
		row := seriesRow{Count: len(f.GetMetric())}
		row.Name, row.Type, row.Help, row.Labels = name, strings.ToLower(f.GetType().String()), f.GetHelp(), []string{}
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if !slices.Contains(row.Labels, l.GetName()) {
					row.Labels = append(row.Labels, l.GetName())
				}
			}
		}
		slices.Sort(row.Labels)
		rows = append(rows, row)
	}
	if a.json {
		return a.value(struct {
			Addr   string      `json:"addr"`
			Series []seriesRow `json:"series"`
		}{net.JoinHostPort(host, port), rows})
	}
	return a.series(rows)
}
