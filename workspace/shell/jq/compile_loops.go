package jq

import "github.com/itchyny/gojq"

func (c *compiler) branches(t *gojq.If, at place) (node, error) {
	conds, ways := []*gojq.Query{t.Cond}, []*gojq.Query{t.Then}
	for _, e := range t.Elif {
		conds, ways = append(conds, e.Cond), append(ways, e.Then)
	}
	var no node = identity{}
	var err error
	if t.Else != nil {
		if no, err = c.query(t.Else, at); err != nil {
			return nil, err
		}
	}
	for i := len(conds) - 1; i >= 0; i-- {
		cond, err := c.query(conds[i], at.inside())
		if err != nil {
			return nil, err
		}
		yes, err := c.query(ways[i], at)
		if err != nil {
			return nil, err
		}
		no = &branch{cond: cond, yes: yes, no: no, one: cond.single() && yes.single() && no.single()}
	}
	return no, nil
}

func (c *compiler) reduction(t *gojq.Reduce, at place) (node, error) {
	n := &reduction{}
	var err error
	if n.source, err = c.query(t.Query, at); err != nil {
		return nil, err
	}
	if n.start, err = c.query(t.Start, at); err != nil {
		return nil, err
	}
	var inner place
	if n.patterns, inner, err = c.patterns(t.Patterns, at); err != nil {
		return nil, err
	}
	n.update, err = c.query(t.Update, inner)
	n.one = n.start.single()
	return n, err
}

func (c *compiler) loop(t *gojq.Foreach, at place) (node, error) {
	n := &loop{extract: identity{}}
	var err error
	if n.source, err = c.query(t.Query, at); err != nil {
		return nil, err
	}
	if n.start, err = c.query(t.Start, at); err != nil {
		return nil, err
	}
	var inner place
	if n.patterns, inner, err = c.patterns(t.Patterns, at); err != nil {
		return nil, err
	}
	if n.update, err = c.query(t.Update, inner); err != nil || t.Extract == nil {
		return n, err
	}
	n.extract, err = c.query(t.Extract, inner)
	return n, err
}
