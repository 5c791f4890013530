package jq

import "strings"

// substitute is sub and gsub: the texts that the second argument gives for a match make as
// many results.
func (n *special) substitute(e *frame, v any, extra string, p *trail, out yield) error {
	flags := node(&constant{})
	if len(n.args) > 2 {
		flags = n.args[2]
	}
	return each(flags, e, v, func(mode any) error {
		return each(n.args[0], e, v, func(re any) error {
			if _, ok := re.(string); !ok {
				return words(typeOf(re) + " not a string or array")
			}
			s, err := e.m.search(v, []any{re, mode}, extra)
			if err != nil {
				return err
			}
			results, err := n.replacements(e, s)
			if err != nil {
				return err
			}
			if len(results) == 0 {
				return out(v, p)
			}
			for _, b := range results {
				if err := out(b.String(), p); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func (n *special) replacements(e *frame, s *matcher) ([]*strings.Builder, error) {
	var results []*strings.Builder
	from := 0
	for {
		loc, err := s.next()
		if err != nil {
			return nil, err
		}
		if loc == nil {
			break
		}
		gap := s.text[from:loc[0]]
		from = loc[1]
		i := 0
		err = each(n.args[1], e, s.named(loc), func(w any) error {
			text, ok := w.(string)
			if !ok && w != nil {
				return both(gap, w, "cannot be added")
			}
			if i == len(results) {
				results = append(results, &strings.Builder{})
			}
			results[i].WriteString(gap)
			results[i].WriteString(text)
			i++
			if results[i-1].Len() > maxText {
				return words("the text is too long")
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if err := e.m.tick(); err != nil {
			return nil, err
		}
	}
	for _, b := range results {
		b.WriteString(s.text[from:])
	}
	return results, nil
}
