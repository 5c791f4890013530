package eval

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// hashBuiltin executes hash.
func hashBuiltin(_ context.Context, sh *Shell, b *streams, args []string) int {
	var forget, drop, show, commands bool
	path := ""
	g := sh.options(b, args, "dlp:rt")
	for letter := g.next(); letter != 0; letter = g.next() {
		switch letter {
		case 'd':
			drop = true
		case 'l':
			commands = true
		case 'p':
			path = g.value
		case 'r':
			forget = true
		case 't':
			show = true
		}
	}
	switch {
	case g.bad:
		return 2
	case forget:
		sh.hashed, sh.owned.hashed = nil, false
	case len(g.args) == 0 && show:
		sh.errorf(b, "hash: -t: option requires an argument")
		return 1
	case len(g.args) == 0:
		sh.listHashed(b, commands)
		return 0
	}
	status := 0
	for _, name := range g.args {
		known := sh.hashed[name]
		switch {
		case (drop || show) && known == "":
			sh.errorf(b, "hash: %s: not found", name)
			status = 1
		case drop:
			delete(ownMap(&sh.hashed, &sh.owned.hashed), name)
		case show && len(g.args) > 1:
			b.out.WriteString(name + "\t" + known + "\n")
		case show && commands:
			b.out.WriteString("builtin hash -p " + known + " " + name + "\n")
		case show:
			b.out.WriteString(known + "\n")
		case path != "":
			ownMap(&sh.hashed, &sh.owned.hashed)[name] = path
		case strings.Contains(name, "/") || sh.funcs[name] != nil || sh.builtin[name] != nil:
		default:
			if f := sh.search(name); f.path != "" && f.err == nil {
				ownMap(&sh.hashed, &sh.owned.hashed)[name] = f.path
			} else {
				sh.errorf(b, "hash: %s: not found", name)
				status = 1
			}
		}
	}
	return status
}

func (sh *Shell) listHashed(b *streams, commands bool) {
	var names []string
	for name := range sh.hashed {
		names = append(names, name)
	}
	slices.Sort(names)
	switch {
	case len(names) == 0 && commands:
	case len(names) == 0:
		b.out.WriteString("hash: hash table empty\n")
	case !commands:
		b.out.WriteString("hits\tcommand\n")
	}
	for _, name := range names {
		if commands {
			b.out.WriteString("builtin hash -p " + sh.hashed[name] + " " + name + "\n")
		} else {
			fmt.Fprintf(b.out, "%4d\t%s\n", 0, sh.hashed[name])
		}
	}
}
