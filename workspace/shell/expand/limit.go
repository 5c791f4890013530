package expand

import (
	"context"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// limits gives the bounds of the call.
func (c *Config) limits() *limits.Limits {
	if c.Budget == nil {
		l := limits.Limits{}.OrDefault()
		return &l
	}
	return &c.Budget.Limits
}

// exceed ends the call with a limit.
func (c *Config) exceed(name string, value int64, unit, mend string) error {
	hit := &limits.Hit{Name: name, Value: value, Unit: unit, Mend: mend}
	if c.Budget == nil {
		return hit
	}
	return c.Budget.Exceed(hit)
}

// tooLong ends the call since a value is over the bound of one variable.
func (c *Config) tooLong() error {
	return c.exceed("variable", int64(c.limits().Variable), "bytes in one variable", "Keep long text in files.")
}

// checkLength says whether a value may have n bytes.
func (c *Config) checkLength(n int) error {
	if n > c.limits().Variable {
		return c.tooLong()
	}
	return nil
}

func (c *Config) wordLimit(n int) error {
	if most := c.limits().Words; n > most {
		return c.exceed("words", int64(most), "words in one expansion", "Read the lines one by one, or let one command do the work.")
	}
	return nil
}

// over gives the reason when the context is over.
func over(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
