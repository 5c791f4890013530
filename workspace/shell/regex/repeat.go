package regex

// repeats reads what repeats an atom.
func (p *parser) repeats(n *node) (*node, error) {
	for {
		least, most, ok, err := p.repeat()
		if err != nil {
			return nil, err
		}
		if !ok {
			return n, nil
		}
		n = &node{op: opRepeat, subs: []*node{n}, min: least, max: most}
	}
}

func (p *parser) repeat() (least, most int, ok bool, err error) {
	switch {
	case p.accept("*"):
		return 0, -1, true, nil
	case p.acceptOperator("+"):
		return 1, -1, true, nil
	case p.acceptOperator("?"):
		return 0, 1, true, nil
	case p.operator("{"):
		return p.interval()
	}
	return 0, 0, false, nil
}

// interval reads {m}, {m,}, {m,n} or {,n}. What is none of them is text in extended
// expressions.
func (p *parser) interval() (least, most int, ok bool, err error) {
	from := p.pos
	p.acceptOperator("{")
	least, hasLeast := p.number()
	most = least
	if p.accept(",") {
		var hasMost bool
		if most, hasMost = p.number(); !hasMost {
			most = -1
		}
		if !hasLeast {
			least = 0
		}
		hasLeast = true
	}
	if !hasLeast || !p.acceptOperator("}") {
		if p.extended() {
			p.pos = from
			return 0, 0, false, nil
		}
		if p.pos >= len(p.src) {
			return 0, 0, false, syntaxError(`Unmatched \{`)
		}
		return 0, 0, false, syntaxError(errInterval)
	}
	switch {
	case most >= 0 && least > most:
		return 0, 0, false, syntaxError(errInterval)
	case least > maxInterval || most > maxInterval:
		return 0, 0, false, syntaxError(errBig)
	}
	return least, most, true, nil
}

func (p *parser) number() (n int, ok bool) {
	for p.pos < len(p.src) && p.src[p.pos] >= '0' && p.src[p.pos] <= '9' {
		n = min(n*10+int(p.src[p.pos]-'0'), maxInterval+1)
		p.pos++
		ok = true
	}
	return n, ok
}

// skipRepeat drops a repetition of nothing, which GNU warns of.
func (p *parser) skipRepeat() (bool, error) {
	what := p.src[p.pos : p.pos+1]
	_, _, ok, err := p.repeat()
	if !ok || err != nil {
		return false, err
	}
	if what == "{" {
		what = "{...}"
	}
	p.warnings = append(p.warnings, what+" at start of expression")
	return true, nil
}
