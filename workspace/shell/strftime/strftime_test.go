package strftime_test

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/strftime"
)

var update = flag.Bool("update", false, "record the answers of the date of this machine")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const recorded = "testdata/date.txt"

// formats is every conversion with every flag and some widths.
func formats() []string {
	var all []string
	for _, verb := range strings.Split("a A b B c C d D e F g G h H I j k l m M n N p P q r R s S t T u U V w W x X y Y z :z ::z :::z Z Ey Od i Q", " ") {
		for _, flag := range []string{"", "-", "_", "0", "^", "#", "+", "^_"} {
			for _, width := range []string{"", "1", "3", "12"} {
				if verb == "c" && flag == "+" {
					continue // the flag reaches into the parts in a way that no one uses
				}
				all = append(all, "%"+flag+width+verb)
			}
		}
	}
	return append(all, "%Y-%m-%dT%H:%M:%S%:z", "100%%", "%", "plain", "%%Y", "%-d/%-m", "%s.%3N")
}

// moments are seconds since 1970 with the zone in which they are printed.
var moments = []struct {
	at   string
	zone string
}{
	{"1700000000.25", "UTC"}, {"0", "America/New_York"}, {"1690000000.123456789", "Europe/Berlin"},
	{"1330473600", "Asia/Kolkata"}, {"-1000000000", "America/St_Johns"}, {"1704067199", "EST5EDT,M3.2.0,M11.1.0"},
	{"1690000000", "<+0330>-3:30"}, {"1720000000", "CET-1CEST,M3.5.0,M10.5.0/3"}, {"1735689600", "Nowhere/At_All"}, {"1136073600.5", ""},
}

func TestAsDate(t *testing.T) {
	t.Parallel()
	if *update {
		record(t)
	}
	f, err := os.Open(recorded)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, n := bufio.NewScanner(f), 0
	for lines.Scan() {
		var moment int
		var format, want string
		if _, err := fmt.Sscanf(lines.Text(), "%d %q %q", &moment, &format, &want); err != nil {
			t.Fatal(lines.Text(), err)
		}
		n++
		if got := string(strftime.Date(nil, format, at(t, moment))); got != want {
			t.Errorf("%s in %q by %q: %q, date says %q", moments[moment].at, moments[moment].zone, format, got, want)
		}
	}
	if n == 0 {
		t.Fatal("no recorded cases")
	}
}

func at(t *testing.T, moment int) time.Time {
	t.Helper()
	whole, part, _ := strings.Cut(moments[moment].at, ".")
	seconds, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	nanos, _ := strconv.Atoi((part + "000000000")[:9])
	return time.Unix(seconds, int64(nanos)).In(strftime.Zone(moments[moment].zone))
}

func record(t *testing.T) {
	t.Helper()
	var file strings.Builder
	for i, m := range moments {
		all := formats()
		cmd := exec.CommandContext(t.Context(), "date", "-d", "@"+m.at, "+"+strings.Join(all, "\x01"))
		cmd.Env = []string{"LC_ALL=C.UTF-8", "TZ=" + m.zone}
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		answers := strings.Split(strings.TrimSuffix(string(out), "\n"), "\x01")
		for j, format := range all {
			fmt.Fprintf(&file, "%d %q %q\n", i, format, answers[j])
		}
	}
	if err := os.MkdirAll("testdata", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(recorded, []byte(file.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestTheLibraryHasNoNanoseconds(t *testing.T) {
	t.Parallel()
	when := time.Unix(86399, 5).UTC()
	if got := string(strftime.Library(nil, "%T %N %:z %q", when)); got != "23:59:59 %N %:z %q" {
		t.Fatalf("%q", got)
	}
}

func TestAZoneReadsNothingOfTheHost(t *testing.T) {
	t.Setenv("ZONEINFO", "/nonexistent")
	for _, name := range []string{"../../etc/passwd", "/etc/localtime", "../UTC", "\x00"} {
		if strftime.Known(name) {
			t.Errorf("%q is a zone", name)
		}
		if _, offset := time.Unix(0, 0).In(strftime.Zone(name)).Zone(); offset != 0 {
			t.Errorf("%q has the offset %d", name, offset)
		}
	}
	if !strftime.Known("Asia/Tokyo") {
		t.Error("Asia/Tokyo is not known")
	}
}

func FuzzZoneAndFormat(f *testing.F) {
	f.Add("EST5EDT,M3.2.0,M11.1.0", "%c %Z")
	f.Add("<+03>-3", "%_10:z")
	f.Fuzz(func(_ *testing.T, zone, format string) {
		strftime.Date(nil, format, time.Unix(1_700_000_000, 1).In(strftime.Zone(zone)))
	})
}
