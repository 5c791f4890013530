// Package metrics owns the Prometheus series of a runtime. It only watches: facts come
// from records that are durable, through a small fold of each run ([Run]), and engine
// facts come at each scrape from the counters of the actor system. It decides nothing,
// keeps nothing that a run needs, and never asks an actor.
//
// Label values are bounded by the configuration of the program: a run, call or user id, a
// path or a text of a model never becomes one, and beyond a fixed number of distinct
// names a value is "other". Series are resolved once for each agent, tool and model, so
// that counting is a few atomic operations for each record.
//
// All of it is safe for concurrent use, but for a [Run], which is told by one run.
package metrics
