package anthropic

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/model"
)

const (
	// minBudget is the least number of tokens that the service takes for thinking.
	minBudget = 1024
	// minTopP is the least top_p that the service takes beside thinking.
	minTopP = 0.95
)

// thinking is how much a model is asked to think before it answers.
type thinking struct {
	effort string // low, medium, high: as the model sees fit; "": not so
	budget int    // tokens, 0: no budget
}

func (t thinking) on() bool { return t.effort != "" || t.budget > 0 }

// parseReasoning reads the option: off (also ""), low, medium, high, tokens:n.
func parseReasoning(s string) (thinking, error) {
	switch s {
	case "", "off":
		return thinking{}, nil
	case "low", "medium", "high":
		return thinking{effort: s}, nil
	}
	if digits, ok := strings.CutPrefix(s, "tokens:"); ok {
		n, err := strconv.Atoi(strings.TrimSpace(digits))
		if err == nil && n >= minBudget {
			return thinking{budget: n}, nil
		}
		return thinking{}, fmt.Errorf("reasoning tokens:n needs a whole number of at least %d, not %q", minBudget, digits)
	}
	return thinking{}, fmt.Errorf("reasoning is off, low, medium, high or tokens:n, not %q", s)
}

// wishes is what of a request's wishes is sent. Thinking excludes some of them.
type wishes struct {
	maxOutput   int
	thinking    thinking
	temperature *float64
	topP        *float64
	choice      model.Choice
}

// wishes decides what is sent; what is left out is told once.
func (p *Provider) wishes(req *model.Request) wishes {
	w := wishes{maxOutput: req.MaxOutput, thinking: p.thinking, temperature: req.Temperature, topP: req.TopP, choice: req.Choice}
	if w.maxOutput <= 0 {
		w.maxOutput = p.maxOutput
	}
	if w.thinking.budget >= w.maxOutput {
		if w.thinking.budget = w.maxOutput - 1; w.thinking.budget < minBudget {
			w.thinking.budget = 0
			p.client.Notice("thinking_dropped", fmt.Sprintf("thinking needs at least %d tokens below the output limit of %d", minBudget, w.maxOutput))
		}
	}
	if len(req.Tools) == 0 {
		w.choice = model.Choice{}
	}
	if !w.thinking.on() {
		return w
	}
	if w.temperature != nil {
		w.temperature = nil
		p.client.Notice("temperature_dropped", "a model that thinks takes no temperature")
	}
	if w.topP != nil && *w.topP < minTopP {
		w.topP = nil
		p.client.Notice("top_p_dropped", fmt.Sprintf("a model that thinks takes no top_p below %v", minTopP))
	}
	if w.choice.Mode == "required" || w.choice.Mode == "specific" {
		w.choice = model.Choice{}
		p.client.Notice("choice_dropped", "a model that thinks cannot be forced to call a tool")
	}
	return w
}
