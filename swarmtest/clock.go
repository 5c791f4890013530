package swarmtest

import (
	"time"

	"github.com/seed-cf6d8d1b/swarm/actors"
	"github.com/seed-cf6d8d1b/swarm/model"
)

// Clock stands still until the test moves it. See actors.ManualClock.
type Clock = actors.ManualClock

// NewClock gives a clock that stands at a fixed moment.
func NewClock() *Clock {
	return actors.NewManualClock(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC))
}

// Validate gives what a strict provider would refuse in a request; nil: nothing.
func Validate(req *model.Request) []model.Fault { return model.Validate(req) }
