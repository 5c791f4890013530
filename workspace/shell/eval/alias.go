package eval

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/expand"
)

// builtinAlias lists and sets aliases.
func builtinAlias(_ context.Context, sh *Shell, b *streams, args []string) int {
	rest := args[1:]
	if len(rest) > 0 && (rest[0] == "-p" || rest[0] == "--") {
		rest = rest[1:]
	}
	show := func(name string) { fmt.Fprintf(b.out, "alias %s=%s\n", name, expand.QuoteValue(sh.aliases[name])) }
	if len(rest) == 0 {
		for _, name := range slices.Sorted(maps.Keys(sh.aliases)) {
			show(name)
		}
		return 0
	}
	status := 0
	for _, arg := range rest {
		name, value, set := strings.Cut(arg, "=")
		switch _, known := sh.aliases[name]; {
		case set && (name == "" || strings.ContainsAny(name, " \t\n/$`\"'\\|&;()<>")):
			sh.errorf(b, "alias: `%s': invalid alias name", name)
			status = 1
		case set:
			ownMap(&sh.aliases, &sh.owned.aliases)[name] = value
		case known:
			show(name)
		default:
			sh.errorf(b, "alias: %s: not found", name)
			status = 1
		}
	}
	return status
}

// builtinUnalias takes aliases away.
func builtinUnalias(_ context.Context, sh *Shell, b *streams, args []string) int {
	rest := args[1:]
	if len(rest) > 0 && rest[0] == "-a" {
		sh.aliases, sh.owned.aliases = nil, false
		return 0
	}
	if len(rest) == 0 {
		fmt.Fprintln(b.err, "unalias: usage: unalias [-a] name [name ...]")
		return 2
	}
	status := 0
	for _, name := range rest {
		if _, ok := sh.aliases[name]; !ok {
			sh.errorf(b, "unalias: %s: not found", name)
			status = 1
			continue
		}
		delete(ownMap(&sh.aliases, &sh.owned.aliases), name)
	}
	return status
}

// expandAliases replaces the aliases in a statement that was just read. The parser does not
// know them, so an alias is whole words of a command, never a part of the grammar.
func (sh *Shell) expandAliases(s *syntax.Stmt) {
	syntax.Walk(s, func(n syntax.Node) bool {
		if s, ok := n.(*syntax.Stmt); ok {
			sh.expandAlias(s)
		}
		return true
	})
}

// expandAlias replaces the aliases of one simple command. The statement is not yet known to
// anyone else.
func (sh *Shell) expandAlias(s *syntax.Stmt) {
	used := map[string]bool{}
	for {
		call, ok := s.Cmd.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return
		}
		name := plainWord(call.Args[0])
		value, ok := sh.aliases[name]
		if !ok || name == "" || used[name] {
			return
		}
		used[name] = true
		rest := call.Args[1:]
		for next := value; strings.HasSuffix(next, " ") && len(rest) > 0; {
			// A value that ends in a blank lets the next word be an alias too.
			if next, ok = sh.aliases[plainWord(rest[0])]; !ok {
				break
			}
			value += next
			rest = rest[1:]
		}
		list := sh.parseAlias(value)
		if len(list) == 0 {
			if len(rest) == 0 && len(call.Assigns) == 0 {
				s.Cmd = &syntax.Block{}
				return
			}
			call.Args = rest
			return
		}
		last := list[len(list)-1]
		for {
			b, ok := last.Cmd.(*syntax.BinaryCmd)
			if !ok {
				break
			}
			last = b.Y
		}
		if end, ok := last.Cmd.(*syntax.CallExpr); ok {
			end.Args = append(end.Args[:len(end.Args):len(end.Args)], rest...)
		} else if len(rest) > 0 {
			return
		}
		first, simple := list[0].Cmd.(*syntax.CallExpr)
		if len(list) > 1 || !simple {
			s.Cmd = &syntax.Block{Stmts: list}
			return
		}
		first.Assigns = append(call.Assigns[:len(call.Assigns):len(call.Assigns)], first.Assigns...)
		s.Cmd = first
		s.Redirs = append(list[0].Redirs[:len(list[0].Redirs):len(list[0].Redirs)], s.Redirs...)
	}
}

// plainWord gives a word that is one literal without quotes.
func plainWord(w *syntax.Word) string {
	if len(w.Parts) == 1 {
		if l, ok := w.Parts[0].(*syntax.Lit); ok {
			return l.Value
		}
	}
	return ""
}

// parseAlias reads the value of an alias; one that is no complete command gives nothing.
func (sh *Shell) parseAlias(value string) []*syntax.Stmt {
	if checkNesting(value, sh.budget.Nesting) != nil || len(value) > shallow {
		return nil
	}
	p := syntax.NewParser()
	file, err := p.Parse(strings.NewReader(value+"\n"), "")
	if err != nil {
		return nil
	}
	return file.Stmts
}
