package modeltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/model"
)

// ReadStream is what reads a stream in the package under test. preview may be nil.
type ReadStream func(r io.Reader, preview func(model.Delta)) (*model.Answer, error)

// CutStreams cuts every byte file that leads to an answer after each byte, by an end or by
// a break in turn: what is left leads to no answer, or to the same one. Usage may stand
// behind the end of an answer and be missing. except are files in which nobody can tell
// where the end is. It wants at least so many files that lead to an answer.
func CutStreams(t *testing.T, least int, read ReadStream, except ...string) {
	t.Helper()
	without := func(r io.Reader) (*model.Answer, error) {
		a, err := read(r, nil)
		if a != nil {
			a.Usage = journal.Usage{}
		}
		return a, err
	}
	tried := 0
	for _, name := range byteFiles(t) {
		stream := ByteFile(t, name)
		want, err := without(bytes.NewReader(stream))
		if err != nil || slices.Contains(except, name) {
			continue
		}
		tried++
		for at := range stream {
			end := []error{io.EOF, io.ErrUnexpectedEOF}[at%2]
			a, err := without(io.MultiReader(bytes.NewReader(stream[:at]), iotest.ErrReader(end)))
			e, failed := err.(*model.Error)
			switch {
			case err == nil && !reflect.DeepEqual(a, want):
				t.Fatalf("%s cut after %d bytes: %+v, want %+v", name, at, a, want)
			case err != nil && (!failed || e.Code != "model.stream_incomplete" || e.Class != model.ClassTransient):
				t.Fatalf("%s cut after %d bytes: %v", name, at, err)
			}
		}
	}
	if tried < least {
		t.Errorf("%d streams lead to an answer, there should be %d", tried, least)
	}
}

// FuzzStreams wants one outcome of a stream, however it is cut into reads: an error of its
// class, or an answer that keeps the promises of its type. back checks that an answer can be
// sent back; nil: nothing.
func FuzzStreams(f *testing.F, read ReadStream, back func(t *testing.T, a *model.Answer)) {
	for _, name := range byteFiles(f) {
		f.Add(ByteFile(f, name), uint64(1))
	}
	said := func(r io.Reader) string {
		a, err := read(r, nil)
		if err != nil {
			return err.Error()
		}
		b, err := json.Marshal(a)
		return fmt.Sprintf("%s %v", b, err)
	}
	f.Fuzz(func(t *testing.T, stream []byte, seed uint64) {
		whole := said(bytes.NewReader(stream))
		if cut := said(pieces{bytes.NewReader(stream), rand.New(rand.NewPCG(seed, 2))}); cut != whole {
			t.Fatalf("whole: %s\nin pieces: %s", whole, cut)
		}
		a, err := read(bytes.NewReader(stream), func(model.Delta) {})
		if err != nil {
			if e, ok := err.(*model.Error); !ok || e.Class == "" || e.Code == "" || a != nil {
				t.Fatalf("%v, %#v", a, err)
			}
			return
		}
		if a.Finish == "" || len(a.Calls) > model.MaxCalls {
			t.Fatalf("%+v", a)
		}
		for _, c := range a.Calls {
			if c.Name == "" || len(c.Args) > 0 && !json.Valid(c.Args) {
				t.Fatalf("%+v", c)
			}
		}
		for _, n := range a.Native {
			if !json.Valid(n) {
				t.Fatalf("%s", n)
			}
		}
		if back != nil {
			back(t, a)
		}
	})
}

// pieces gives at most a random number of bytes at once.
type pieces struct {
	r    io.Reader
	rand *rand.Rand
}

// Read implements [io.Reader].
func (p pieces) Read(b []byte) (int, error) { return p.r.Read(b[:min(len(b), 1+p.rand.IntN(9))]) }
