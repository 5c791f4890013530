package jq

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// source is the values of one file or of standard input.
type source interface {
	next() (any, error) // io.EOF at the end
	line() int          // newlines read
}

// inputs is the values of all files in their order. The functions input and inputs take
// from it as well, so a value is seen once.
type inputs struct {
	c       *command.Call
	files   []string
	open    func(r io.Reader) source
	current source
	close   func() error
	name    string // of the current file, "" for standard input
	slurp   func(all *inputs) (any, error)
	failed  bool // a file could not be opened
	done    bool
	broken  error // ended the input
}

// newInputs reads files, or standard input when there are none.
func newInputs(c *command.Call, files []string, o *options) *inputs {
	in := &inputs{c: c, files: files}
	if len(files) == 0 {
		in.files = []string{"-"}
	}
	switch {
	case o.raw:
		in.open = func(r io.Reader) source { return &lineSource{r: bufio.NewReaderSize(r, chunk), whole: o.slurp} }
	case o.stream:
		in.open = func(r io.Reader) source {
			d := newDecoder(r)
			d.seq = o.seq
			return newStreamer(d)
		}
	default:
		in.open = func(r io.Reader) source {
			d := newDecoder(r)
			d.seq = o.seq
			return d
		}
	}
	switch {
	case o.slurp && o.raw:
		in.slurp = slurpText
	case o.slurp:
		in.slurp = slurpValues
	}
	return in
}

// next gives the next value, or io.EOF. After another error there is none.
func (in *inputs) next() (any, error) {
	if in.done {
		return nil, io.EOF
	}
	v, err := in.get()
	if err != nil {
		in.done = true
		if err != io.EOF {
			in.broken = err
		}
	}
	return v, err
}

func (in *inputs) get() (any, error) {
	if in.slurp == nil {
		return in.one()
	}
	v, err := in.slurp(in)
	in.slurp = nil
	if err == nil {
		in.done = true
	}
	return v, err
}

// one gives the next value of the files.
func (in *inputs) one() (any, error) {
	for {
		if in.current == nil {
			if len(in.files) == 0 {
				return nil, io.EOF
			}
			in.begin()
			continue
		}
		v, err := in.current.next()
		if err != io.EOF {
			return v, err
		}
		if _, over := in.current.(ended); over {
			return nil, io.EOF
		}
		in.end()
	}
}

func (in *inputs) begin() {
	name := in.files[0]
	in.files = in.files[1:]
	f, err := in.c.Open(name)
	if err != nil {
		in.failed = true
		in.c.Errorf("error: Could not open file %s: %s", name, view.Text(err))
		return
	}
	in.name = ""
	if name != "-" {
		in.name = name
	}
	in.current, in.close = in.open(f), f.Close
}

// end closes the current file. What it was called and how far it was read stay known.
func (in *inputs) end() {
	if in.close != nil {
		in.close()
		in.close = nil
	}
	if len(in.files) > 0 || in.current == nil {
		in.current = nil
		return
	}
	in.current = ended(in.current.line())
}

// ended is a source that is read to its end: its number of lines.
type ended int

func (e ended) next() (any, error) { return nil, io.EOF }
func (e ended) line() int          { return int(e) }

// where says how far the input is read, as messages do.
func (in *inputs) where() string {
	name := in.name
	if in.current == nil {
		return "<unknown>"
	}
	if name == "" {
		name = "<stdin>"
	}
	return name + ":" + strconv.Itoa(in.current.line())
}

func (in *inputs) line() int {
	if in.current == nil {
		return 0
	}
	return in.current.line()
}

func slurpValues(in *inputs) (any, error) {
	list := &array{}
	for {
		v, err := in.one()
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		list.items = append(list.items, v)
	}
}

func slurpText(in *inputs) (any, error) {
	var text strings.Builder
	for {
		v, err := in.one()
		if err == io.EOF {
			return text.String(), nil
		}
		if err != nil {
			return nil, err
		}
		text.WriteString(v.(string))
	}
}

// lineSource gives lines as strings, or with whole the text as it is.
type lineSource struct {
	r     *bufio.Reader
	n     int
	whole bool
}

func (s *lineSource) next() (any, error) {
	if s.whole {
		b, err := io.ReadAll(s.r)
		if err == nil && len(b) == 0 {
			err = io.EOF
		}
		s.n += strings.Count(string(b), "\n")
		return strings.ToValidUTF8(string(b), "\uFFFD"), err
	}
	line, err := s.r.ReadString('\n')
	if err != nil && (err != io.EOF || line == "") {
		return nil, err
	}
	text, newline := strings.CutSuffix(line, "\n")
	if newline {
		s.n++
	}
	return strings.ToValidUTF8(text, "\uFFFD"), nil
}

func (s *lineSource) line() int { return s.n }
