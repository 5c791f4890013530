package printf_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/printf"
	"github.com/seed-cf6d8d1b/swarm/workspace/shell/strftime"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func clock(layout string, seconds int64) string {
	return string(strftime.Library(nil, layout, time.Unix(seconds, 0).UTC()))
}

func TestTheProgramHasTextsOfItsOwn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		format string
		args   []string
		out    string
		code   int
		err    string
	}{
		{"%d", []string{"abc"}, "0", 1, "'abc': expected a numeric value"},
		{"%d", []string{"3x"}, "3", 1, "'3x': value not completely converted"},
		{"%d", []string{""}, "0", 1, "'': expected a numeric value"},
		{"%d", nil, "0", 0, ""},
		{"%d", []string{"99999999999999999999"}, "9223372036854775807", 1, "'99999999999999999999': Numerical result out of range"},
		{"%y", nil, "", 1, "%y: invalid conversion specification"},
		{"%(%Y)T", []string{"0"}, "", 1, "%(: invalid conversion specification"},
		{`a\cb`, nil, "a", 0, ""},
		{"x", []string{"a"}, "x", 0, "warning: ignoring excess arguments, starting with 'a'"},
		{"%s\n", []string{"a", "b"}, "a\nb\n", 0, ""},
	} {
		said := ""
		p := printf.Printer{Command: true, Error: func(text string) { said = text }}
		code, err := p.Print(c.format, c.args)
		if err != nil || string(p.Out) != c.out || code != c.code || said != c.err {
			t.Errorf("printf %q %q: %q, code %d, %q, %v; want %+v", c.format, c.args, p.Out, code, said, err, c)
		}
	}
}

func TestAWidthThatIsTooLargeIsALimit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		format string
		args   []string
		hit    bool
	}{
		{"%1000000000d", []string{"1"}, true},
		{"%.1000000000d", []string{"1"}, true},
		{"%*s", []string{"1000000000", "x"}, true},
		{"%*s", []string{"-50000", "x"}, true},
		{"%.99999999999999999999f", []string{"1"}, true},
		{strings.Repeat("%10000s", 4), []string{"a"}, true},
		{"%-20001s", []string{"x"}, true},
		{"%20000s", []string{"x"}, false},
	} {
		p := printf.Printer{Error: func(string) {}, Variable: 20_000}
		_, err := p.Print(c.format, c.args)
		hit, ok := errors.AsType[*limits.Hit](err)
		if ok != c.hit || ok && hit.Name != "variable" {
			t.Errorf("%q: %v", c.format, err)
		}
	}
}

func TestLongOutputIsFlushedWhileItIsPrinted(t *testing.T) {
	t.Parallel()
	total, most := 0, 0
	p := printf.Printer{Error: func(string) {}, Flush: func(out []byte) error {
		total, most = total+len(out), max(most, len(out))
		return nil
	}}
	args := make([]string, 1000)
	if _, err := p.Print("%1000s\n", args); err != nil {
		t.Fatal(err)
	}
	if total+len(p.Out) != 1001*1000 || most > 32<<10 {
		t.Fatalf("%d bytes in all, %d at most at once", total+len(p.Out), most)
	}
	broken := errors.New("gone")
	p.Flush = func([]byte) error { return broken }
	if _, err := p.Print("%20000s", args); !errors.Is(err, broken) {
		t.Fatalf("the error of the writer: %v", err)
	}
}

func TestPlainPrintsDoNotAllocate(t *testing.T) {
	p := printf.Printer{Out: make([]byte, 0, 256), Error: func(string) {}}
	args := []string{"name", "42"}
	if n := testing.AllocsPerRun(100, func() {
		p.Out = p.Out[:0]
		p.Print("%s=%d\n", args) //nolint:errcheck // nothing to flush
	}); n > 0 {
		t.Fatalf("%v allocations", n)
	}
}

func FuzzPrint(f *testing.F) {
	f.Add("%5.2f %s\n", "1.5")
	f.Add(`%b\x41`, `a\cb`)
	f.Add("%(%Y)T", "-1")
	f.Fuzz(func(_ *testing.T, format, arg string) {
		p := printf.Printer{Error: func(string) {}, Quote: func(s string) string { return s }, Time: clock, Variable: 4096}
		p.Print(format, []string{arg, arg}) //nolint:errcheck // a limit is fine
	})
}
