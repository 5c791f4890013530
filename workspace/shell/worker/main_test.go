package worker

import (
	"bytes"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestMainReturnsInANormalProcess(t *testing.T) {
	for name, args := range map[string][]string{
		"as it is":                      os.Args,
		"called so, but with no socket": {wire.Arg0},
		"called so with arguments":      {wire.Arg0, "x"},
		"without arguments":             {},
	} {
		t.Run(name, func(t *testing.T) {
			before := os.Args
			defer func() { os.Args = before }()
			os.Args = args
			Main(func() (shell.Evaluator, *command.Registry) {
				t.Error("something was made")
				return nil, nil
			})
		})
	}
}

// pipe is a socket whose other end has said what it will say.
type pipe struct {
	io.Reader
	said bytes.Buffer
}

func (p *pipe) Write(b []byte) (int, error) { return p.said.Write(b) }

func TestNoGreetingIsNoWorker(t *testing.T) {
	t.Parallel()
	for name, said := range map[string][]byte{
		"nothing":            nil,
		"no frame":           []byte("GET / HTTP/1.1\r\n\r\n"),
		"another frame":      wire.Append(nil, wire.Run, []byte("{}")),
		"no JSON":            wire.Append(nil, wire.Setup, []byte("x")),
		"another protocol":   wire.Append(nil, wire.Setup, wire.Encode(wire.Greeting{Protocol: wire.Protocol + 1})),
		"an oversized frame": []byte("\x7f\xff\xff\xffS"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &pipe{Reader: bytes.NewReader(said)}
			code := serve(p, func() (shell.Evaluator, *command.Registry) {
				t.Error("something was made")
				return nil, nil
			})
			if code != exitRefused || p.said.Len() > 0 {
				t.Errorf("code %d, it said %q", code, p.said.Bytes())
			}
		})
	}
}

func TestReceive(t *testing.T) {
	t.Parallel()
	call := wire.Encode(wire.Call{Command: []byte("x")})
	for name, row := range map[string]struct {
		said []byte
		ok   bool
	}{
		"in one":         {wire.Append(nil, wire.Run, call), true},
		"in pieces":      {wire.Append(wire.Append(nil, wire.Part, call[:5]), wire.Run, call[5:]), true},
		"not at all":     {nil, false},
		"a stop":         {wire.Append(nil, wire.Stop, nil), false},
		"half of it":     {wire.Append(nil, wire.Part, call), false},
		"something else": {wire.Append(nil, wire.Run, []byte("x")), false},
		"without an end": {bytes.Repeat(wire.Append(nil, wire.Part, make([]byte, wire.MaxPayload)), wire.MaxCall/wire.MaxPayload+1), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := receive(wire.NewReader(bytes.NewReader(row.said)))
			if ok != row.ok || ok && string(got.Command) != "x" {
				t.Errorf("%v, %+v", ok, got)
			}
		})
	}
}

// Output of both streams keeps its order, fills frames, and goes out before what follows it.
func TestOutput(t *testing.T) {
	t.Parallel()
	var sent bytes.Buffer
	o := &output{to: &sent, most: 1}
	out, errs := stream{o, wire.Out}, stream{o, wire.Err}
	write := func(s stream, text string) {
		if n, err := s.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
	}
	write(out, "a")
	write(out, "b")
	write(errs, "c")
	write(out, "d")
	if sent.Len() > 0 {
		t.Errorf("sent before anybody needs it: %q", sent.Bytes())
	}
	o.announce("x")
	o.announce("y")
	o.announce("z")
	write(out, strings.Repeat("e", enough))
	write(out, "f")
	o.report(wire.End, wire.Report{Code: 3})
	o.report(wire.End, wire.Report{})
	if _, err := out.Write([]byte("late")); err == nil {
		t.Error("output after the last frame")
	}
	var got []string
	frames := wire.NewReader(&sent)
	for {
		kind, p, err := frames.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text := string(p)
		if len(p) > 100 {
			text = string(p[:1]) + "..."
		}
		got = append(got, string(rune(kind))+" "+text)
	}
	want := `o ab|e c|o d|a x|a .|o e...|o f|z {"Code":3}`
	if strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
}

func TestInput(t *testing.T) {
	t.Parallel()
	asked := make(chan []byte, 10)
	in := newInput(true, &output{to: told(asked)})
	var readers sync.WaitGroup
	read := func(n int) string {
		p := make([]byte, n)
		n, err := in.Read(p)
		if err == io.EOF {
			return "EOF"
		}
		if err != nil {
			return err.Error()
		}
		return string(p[:n])
	}
	got := make(chan string, 2)
	readers.Go(func() { got <- read(4) })
	if want := wire.Append(nil, wire.Want, []byte{0, 0, 0, 4}); !bytes.Equal(<-asked, want) {
		t.Error("it asked for something else")
	}
	in.give([]byte("abcdef"))
	if s := <-got; s != "abcd" {
		t.Errorf("got %q", s)
	}
	if s := read(4); s != "ef" || len(asked) > 0 {
		t.Errorf("got %q, and asked %d times", s, len(asked))
	}
	readers.Go(func() { got <- read(1) })
	<-asked
	in.give(nil)
	if a, b := <-got, read(1); a != "EOF" || b != "EOF" || len(asked) > 0 {
		t.Errorf("got %q and %q at the end, and asked %d times", a, b, len(asked))
	}
	readers.Wait()

	open := newInput(true, &output{to: told(asked)})
	go func() { _, err := open.Read(make([]byte, 1)); got <- err.Error() }()
	<-asked
	open.close()
	if s := <-got; s != os.ErrClosed.Error() {
		t.Errorf("a read that is waiting: %s", s)
	}
	if n, err := newInput(false, nil).Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("no input: %d, %v", n, err)
	}
}

// told passes on what is sent.
type told chan []byte

func (c told) Write(p []byte) (int, error) {
	c <- bytes.Clone(p)
	return len(p), nil
}
