package model

import (
	"strings"
	"testing"
)

// TestTokens compares with counts of common tokenizers for texts of some scripts: the
// estimate is not below them, and not far above.
func TestTokens(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, text  string
		least, most int64
	}{
		{"English", strings.Repeat("The quick brown fox jumps over the lazy dog. ", 100), 1000, 1400},
		{"JSON", strings.Repeat(`{"path":"src/main.go","line":123,"text":"func main()"},`, 100), 1700, 2600},
		{"Chinese", strings.Repeat("敏捷的棕色狐狸跳过了懒狗", 100), 900, 1600},
		{"Russian", strings.Repeat("Быстрая коричневая лиса ", 100), 700, 1400},
		{"emoji", strings.Repeat("😀", 100), 100, 300},
		{"nothing", "", 0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if n := Tokens(row.text); n < row.least || n > row.most {
				t.Errorf("%d tokens, want %d to %d", n, row.least, row.most)
			}
		})
	}
}

func TestMeter(t *testing.T) {
	t.Parallel()
	var m Meter
	m.Add(1000)
	if n := m.Estimate(); n != 1100 {
		t.Errorf("before any report %d", n)
	}
	m.Reported(800)
	if n := m.Estimate(); n != 800 {
		t.Errorf("after a report %d", n)
	}
	m.Add(100)
	if n := m.Estimate(); n != 888 {
		t.Errorf("with what was added %d", n)
	}
	m.Restart(500)
	if n := m.Estimate(); n != 440 {
		t.Errorf("after it was shortened %d", n)
	}
	m.Reported(0)
	if n := m.Estimate(); n != 440 {
		t.Errorf("a report of nothing counts: %d", n)
	}
}

// What a server wrote is counted as it said, and what is scaled is scaled like an estimate.
func TestMeterWrote(t *testing.T) {
	t.Parallel()
	var m Meter
	m.Add(1000)
	m.Reported(1500)
	m.Wrote(400, 100)
	if n := m.Estimate(); n != 1900 {
		t.Errorf("with what was written %d", n)
	}
	if n := m.Sum(); n != 1100 {
		t.Errorf("sum %d", n)
	}
	if n := m.Scale(100); n != 165 {
		t.Errorf("scaled %d", n)
	}
	m.Add(100)
	if n := m.Estimate(); n != 1900+165 {
		t.Errorf("with what was added %d", n)
	}
	m.Restart(1200)
	if n := m.Estimate(); n != m.Scale(1200) {
		t.Errorf("after it was shortened %d", n)
	}
}
