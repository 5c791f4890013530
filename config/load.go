package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/seed-cf6d8d1b/swarm/agent"
)

// teamFile is the name of the team file in a directory.
const teamFile = "team.yaml"

// Options change a team while it is loaded. The zero value changes nothing.
type Options struct {
	Entry string   // id of the root agent; wins over the file
	Model string   // name in models, or provider/model, that becomes the default model
	Set   []string // KEY=VALUE: a dotted key of the team file and a YAML value
	// Prices is a file of prices, a JSON list of entries as [price.Parse] reads it. They
	// count before those that are part of the program.
	Prices string
	// RaiseShellLimits accepts limits of the shell above their defaults.
	RaiseShellLimits bool
}

// Load reads a team: a team file, a directory that holds team.yaml, or a directory of
// agent files (*.md) without any YAML. The error has code "config.invalid" and [Faults]
// as its cause.
func Load(path string) (*Team, error) { return LoadWith(path, Options{}) }

// LoadWith is [Load] with changes.
func LoadWith(path string, o Options) (*Team, error) {
	l := &loader{read: readFile, list: markdown}
	info, err := os.Stat(path)
	if err != nil {
		return nil, invalid(path, Faults{unreadable(path, err)})
	}
	file := path
	if !info.IsDir() && strings.EqualFold(filepath.Ext(path), ".md") {
		return nil, invalid(path, Faults{lonely(path)})
	}
	if info.IsDir() {
		file = filepath.Join(path, teamFile)
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return l.load(nil, filepath.Clean(path), o)
		}
	}
	data, err := readFile(file)
	if err != nil {
		return nil, invalid(path, Faults{unreadable(file, err)})
	}
	return l.load(data, file, o)
}

// errIrregular says that what should be a file is a device, a pipe or a directory.
var errIrregular = errors.New("it is no regular file")

// readFile reads a file of a team.
func readFile(name string) ([]byte, error) { return readRegular(name, maxFile) }

// readRegular reads a regular file, of a larger one than is allowed only so much that its
// size shows.
func readRegular(name string, most int64) ([]byte, error) {
	info, err := os.Stat(name) // before it is opened, which waits at a pipe
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "read", Path: name, Err: errIrregular}
	}
	if err != nil {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most+1))
}

// Parse reads the text of a team file. The file is its name in messages, and what it
// refers to is read by readFile, by the file's directory and the name as written. Agent
// files must be named, because they cannot be listed. Errors are those of [Load].
func Parse(data []byte, file string, readFile func(string) ([]byte, error)) (*Team, error) {
	if data == nil {
		data = []byte{}
	}
	return (&loader{read: readFile}).load(data, file, Options{})
}

// markdown lists the agent files of a directory, sorted.
func markdown(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if !e.IsDir() && strings.HasSuffix(e.Name(), ".md") && !strings.EqualFold(e.Name(), "README.md") {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	slices.Sort(out)
	return out, nil
}

// loader holds one load.
type loader struct {
	read   func(string) ([]byte, error)
	list   func(dir string) ([]string, error) // nil: cannot list
	faults Faults
	wrong  int // of faults that are no warnings
	warned int
	flags  map[*yaml.Node]string // nodes that come from a flag, with its text

	dir     string // of the team file, as the user named it
	absDir  string
	team    *Team
	agents  map[string]*draft
	top     *input // the team file
	bare    bool   // a directory without a team file
	options Options

	saidAsks bool     // a warning that nothing asks was given
	used     []string // agent files that entries of the team file have, absolute
	told     Faults   // what was found before the parts are compared
	unsure   bool     // an agent file could not be read, so that not every id is known
}

// blank gives a loader that loads nothing, for its tables of keys.
func blank() *loader { return &loader{team: new(Team)} }

// add notes a fault or a warning. Each has a bound of its own: warnings hide no fault.
func (l *loader) add(f Fault) {
	of := &l.wrong
	if f.Warning {
		of = &l.warned
	}
	if *of < maxFaults {
		*of++
		l.faults = append(l.faults, f)
	}
}

// full says that no further fault would be kept, so that none need be looked for.
func (l *loader) full() bool { return l.wrong >= maxFaults }

func unreadable(file string, err error) Fault {
	text := err.Error()
	var pe *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		text = "there is no such file"
	case errors.As(err, &pe):
		text = "the file cannot be read: " + pe.Err.Error()
	}
	return Fault{File: file, Code: "config.unreadable", Text: text}
}

// load reads everything. Without data, file is a directory of agent files.
func (l *loader) load(data []byte, file string, o Options) (*Team, error) {
	l.bare, l.options = data == nil, o
	l.flags = make(map[*yaml.Node]string)
	l.agents = make(map[string]*draft)
	l.dir = file
	if !l.bare {
		l.dir = filepath.Dir(file)
	}
	var err error
	if l.absDir, err = filepath.Abs(l.dir); err != nil {
		return nil, invalid(file, Faults{unreadable(file, err)})
	}
	l.team = &Team{Version: Version, Name: folderName(l.absDir), Models: map[string]Model{}, Agents: map[string]*agent.Profile{}, LoreScan: defaultLoreScan,
		StoreDir: filepath.Join(l.absDir, ".swarm"), Durability: "full"}
	l.top = l.input(file)
	root := &yaml.Node{Kind: yaml.MappingNode, Line: 1, Column: 1}
	if !l.bare {
		n := l.top.document(data)
		if n == nil {
			if len(l.faults) == 0 {
				l.add(Fault{File: file, Line: 1, Column: 1, Code: "config.missing", Text: "the team file is empty", Mend: "it needs version: 1 and agents"})
			}
			return nil, invalid(file, l.faults)
		}
		root = n
	}
	l.set(root, o.Set)
	l.prices()
	l.teamFile(root)
	l.finish()
	return l.result(file)
}

// result gives the team with its warnings, or the faults.
func (l *loader) result(file string) (*Team, error) {
	all := bounded(sorted(l.faults))
	if l.broken() {
		return nil, invalid(file, all)
	}
	l.team.Warnings = all
	l.team.places = make(map[string]Fault, len(l.top.seen))
	for path, p := range l.top.seen { // its order does not matter
		l.team.places[path] = l.top.at(p.value)
	}
	return l.team, nil
}

// broken says whether something is wrong so far, warnings aside.
func (l *loader) broken() bool {
	return l.wrong > 0
}

// path gives the name of a file that the team file refers to, for reading and messages.
func (l *loader) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(l.dir, name)
}

// absolute gives a path of the host that is kept in the team.
func (l *loader) absolute(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(l.absDir, name)
}

// folderName makes a team's name of the name of its folder.
func folderName(dir string) string {
	name := slug(filepath.Base(dir))
	if !validID(name) {
		return "team"
	}
	return name
}

// slug lowers a text and writes - for each character that an id cannot have.
func slug(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '-'
	}, strings.ToLower(s))
	s = strings.Trim(s, "-_")
	return s[:min(len(s), maxID)]
}

const maxID = 64

// validID says whether a text is an id: [a-z0-9][a-z0-9_-]{0,63}.
func validID(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		case (c == '-' || c == '_') && i > 0:
		default:
			return false
		}
	}
	return s != "" && len(s) <= maxID
}

const idGrammar = "1 to 64 characters of a-z, 0-9, - and _ that begin with a letter or digit"

// listed joins names for a message.
func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	if n := len(names); n > 20 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:20], ", "), n-20)
	}
	return strings.Join(names, ", ")
}
