package swarm_test

import (
	"context"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/seed-cf6d8d1b/swarm"
)

// One runtime has a registry for itself.
func ExampleOptions_registerer() {
	ctx := context.Background()
	registry := prometheus.NewRegistry()
	rt, err := swarm.Open(ctx, swarm.Options{Registerer: registry})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = swarm.Open(ctx, swarm.Options{Registerer: registry})
	fmt.Println(swarm.Code(err))
	fmt.Println(rt.Close(ctx))
	// Output:
	// metrics.registered
	// <nil>
}

// Several runtimes share a registry when each has its own value of one label.
func ExampleOptions_registererShared() {
	ctx := context.Background()
	registry := prometheus.NewRegistry()
	first := prometheus.WrapRegistererWith(prometheus.Labels{"runtime": "first"}, registry)
	second := prometheus.WrapRegistererWith(prometheus.Labels{"runtime": "second"}, registry)
	for _, r := range []prometheus.Registerer{first, second} {
		rt, err := swarm.Open(ctx, swarm.Options{Registerer: r})
		if err != nil {
			fmt.Println(err)
			return
		}
		defer func() { _ = rt.Close(ctx) }()
	}
	families, err := registry.Gather()
	for _, f := range families {
		if f.GetName() == "swarm_build_info" {
			fmt.Println(len(f.GetMetric()), "runtimes", err)
		}
	}
	// Output: 2 runtimes <nil>
}
