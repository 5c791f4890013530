package text

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/regex"
)

func (e *evaluation) matching(run bool) (value, error) {
	left, err := e.primary(run)
	for err == nil {
		if _, ok := e.accept(":"); !ok {
			return left, nil
		}
		var right value
		if right, err = e.primary(run); err == nil && run {
			left, err = e.match(left.String(), right.String())
		}
	}
	return left, err
}

// match matches at the start of a text. With a group its text is the value, else the length.
func (e *evaluation) match(text, pattern string) (value, error) {
	re, err := regex.Compile(pattern, regex.Options{Budget: e.c.Budget, Anchored: true})
	if err != nil {
		return value{}, err
	}
	loc, err := re.Find([]byte(text), 0)
	switch {
	case err != nil:
		return value{}, err
	case re.Groups() > 0:
		if loc == nil || loc[2] < 0 {
			return value{}, nil
		}
		return value{text: text[loc[2]:loc[3]]}, nil
	case loc == nil:
		return number64(0), nil
	}
	return number64(int64(utf8.RuneCountInString(text[:loc[1]]))), nil
}

func (e *evaluation) operand() (string, error) {
	if len(e.args) == 0 {
		return "", errors.New("syntax error: missing argument")
	}
	token := e.args[0]
	e.args = e.args[1:]
	return token, nil
}

func (e *evaluation) primary(run bool) (value, error) {
	if len(e.args) == 0 {
		return value{}, fmt.Errorf("syntax error: missing argument after '%s'", e.last())
	}
	if _, ok := e.accept("("); ok {
		v, err := e.or(run)
		if err != nil {
			return v, err
		}
		if _, ok := e.accept(")"); !ok {
			if len(e.args) == 0 {
				return v, fmt.Errorf("syntax error: expecting ')' after '%s'", e.last())
			}
			return v, fmt.Errorf("syntax error: expecting ')' instead of '%s'", e.args[0])
		}
		return v, nil
	}
	if _, ok := e.accept(")"); ok {
		return value{}, errors.New("syntax error: unexpected ')'")
	}
	if _, ok := e.accept("+"); ok {
		token, err := e.operand()
		return value{text: token}, err
	}
	counts := map[string]int{"match": 2, "substr": 3, "index": 2, "length": 1}
	name := e.args[0]
	n := counts[name]
	e.args = e.args[1:]
	if n == 0 {
		return value{text: name}, nil
	}
	var args []value
	for range n {
		v, err := e.primary(run)
		if err != nil {
			return value{}, err
		}
		args = append(args, v)
	}
	if !run {
		return value{}, nil
	}
	return e.function(name, args)
}

// last gives the argument that was read last.
func (e *evaluation) last() string { return e.c.Args[len(e.c.Args)-len(e.args)-1] }

func (e *evaluation) function(name string, args []value) (value, error) {
	text := args[0].String()
	switch name {
	case "length":
		return number64(int64(utf8.RuneCountInString(text))), nil
	case "match":
		return e.match(text, args[1].String())
	case "index":
		at := 0
		for _, r := range text {
			if at++; strings.ContainsRune(args[1].String(), r) {
				return number64(int64(at)), nil
			}
		}
		return number64(0), nil
	}
	runes := []rune(text)
	from, ok1 := args[1].integer()
	length, ok2 := args[2].integer()
	if !ok1 || !ok2 || from.Sign() <= 0 || length.Sign() <= 0 || !from.IsInt64() || from.Int64() > int64(len(runes)) {
		return value{}, nil
	}
	start := int(from.Int64()) - 1
	end := len(runes)
	if length.IsInt64() {
		end = int(min(int64(end), int64(start)+min(length.Int64(), int64(end))))
	}
	return value{text: string(runes[start:end])}, nil
}
