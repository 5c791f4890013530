package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/seed-cf6d8d1b/swarm/model/price"
)

// priceKind is the kind of the price of a model: dollars for a million tokens, or free.
func priceKind(to **price.Price) kind {
	p := new(price.Price)
	rates := mapping(
		key{"input", dollars(&p.Input), required, "dollars for a million tokens that are read; `price: free` is no cost at all"},
		key{"output", dollars(&p.Output), required, "likewise, that are written"},
		key{"cache_read", dollars(&p.CacheRead), says("input"), "likewise, that are read from a cache"},
		key{"cache_write", dollars(&p.CacheWrite), says("input"), "likewise, that are written to a cache"},
		key{"cache_write_1h", dollars(&p.CacheWrite1h), says("cache_write"), "likewise, that stay there for an hour"},
	)
	k := kind{rates.form, func(in *input, v *yaml.Node, path string) {
		if v.Kind == yaml.ScalarNode {
			if s, ok := in.text(v, path); ok && s != "free" {
				in.value(v, path, "free, or a mapping of input and output", "")
			}
			*to = price.Free()
			return
		}
		rates.read(in, v, path)
		for _, name := range []string{"input", "output"} {
			if _, ok := in.seen[join(path, name)]; !ok && v.Kind == yaml.MappingNode {
				in.fault(v, "config.missing", path+" has no "+name, "name the dollars for a million tokens")
			}
		}
		*to = p
	}}
	k.form.also = []form{{typ: "string", is: "free", fixed: "free"}}
	return k
}

// dollars reads an amount of dollars.
func dollars(to **price.Rate) kind {
	return money(func(n price.Nano) {
		r := price.Rate(n)
		*to = &r
	})
}

// budget reads an amount of dollars above 0.
func budget(to *price.Nano) kind {
	k := money(func(n price.Nano) { *to = n })
	read := k.read
	k.read = func(in *input, v *yaml.Node, path string) {
		read(in, v, path)
		if *to == 0 && v.Kind == yaml.ScalarNode && strings.Trim(v.Value, "0.") == "" {
			in.value(v, path, "an amount above 0", "remove the key for no limit")
		}
	}
	return k
}

// money reads an amount of dollars.
func money(set func(price.Nano)) kind {
	f := form{typ: "number", is: "an amount of dollars", least: 0}
	return scalar(f, func(in *input, v *yaml.Node, path, s string) {
		n, err := price.ParseDollars(s)
		if err != nil {
			in.value(v, path, "an amount of dollars with at most nine decimals", mendDollars(s))
			return
		}
		set(n)
	})
}

func mendDollars(s string) string {
	s = strings.TrimSpace(s)
	for _, sign := range []string{"$", "USD", "usd"} {
		if rest := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(s, sign), sign)); rest != s {
			if _, err := price.ParseDollars(rest); err == nil {
				return "write " + rest
			}
		}
	}
	return ""
}

// prices reads the table of the flag.
func (l *loader) prices() {
	file := l.options.Prices
	if file == "" {
		return
	}
	data, err := l.read(file)
	if err == nil {
		l.team.Prices, err = price.Parse(data)
	} else {
		f := unreadable(file, err)
		l.add(Fault{File: "--prices " + file, Code: f.Code, Text: f.Text})
		return
	}
	if err != nil {
		l.add(Fault{File: file, Code: "config.prices", Text: strings.ReplaceAll(err.Error(), "\n", "; "), Mend: "write it like model/price/prices.json"})
	}
}

// PriceOf gives what a model of the team costs, nil when that is not known, and what is
// known of it beside; id is its name at the server. The table that is part of the program
// is about the services themselves: it says nothing of a model with a base URL.
func (t *Team) PriceOf(m *Model, id string) (*price.Price, price.Entry) {
	var e *price.Entry
	if t.Prices != nil {
		e = t.Prices.Find(m.Provider, id)
	}
	if e == nil && m.BaseURL == "" {
		e = price.Known().Find(m.Provider, id)
	}
	var known price.Entry
	if e != nil {
		known = *e
	}
	switch {
	case m.Price != nil:
		return m.Price, known
	case m.Provider == Scripted || m.Provider == Replay:
		return price.Free(), known
	case known.Input == nil:
		return nil, known
	}
	return &known.Price, known
}

// unpriced finds the models that a limit of money cannot be held for, by name.
func (c *checker) unpriced() {
	limited := c.t.Budgets.Money > 0
	for _, id := range c.ids {
		limited = limited || c.t.Agents[id].Money > 0
	}
	if !limited {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(c.t.Models)) {
		m := c.t.Models[name]
		if strings.Contains(m.Model, "${") { // known when the run begins
			continue
		}
		if p, _ := c.t.PriceOf(&m, m.Model); p != nil {
			continue
		}
		f := c.where("", "models."+name, "")
		f.Code, f.Text = "config.unpriced", fmt.Sprintf("the price of model %s is not known, so a limit of money cannot be held", name)
		f.Mend = "write price: {input: …, output: …} or price: free, give --prices, or write budgets.unpriced: allow"
		if c.t.Budgets.Unpriced {
			f.Text, f.Mend, f.Warning = fmt.Sprintf("the price of model %s is not known: no limit of money holds for it", name), "", true
		}
		c.add(f)
	}
}
