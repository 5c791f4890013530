package text

import (
	"context"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/command"
)

func (s *sequence) write(ctx context.Context, w *command.Writer) {
	if s.fixed {
		s.writeWhole(ctx, w)
		return
	}
	var buf []byte
	for i := 0.0; ctx.Err() == nil && w.Err() == nil; i++ {
		v := s.first.value + i*s.step.value
		buf = s.spec.AppendFloat(append(buf[:0], s.prefix...), v)
		if s.step.value > 0 && v > s.last.value || s.step.value < 0 && v < s.last.value {
			// Written, it may be the last after all: 0.1 added often is not exact.
			back, err := strconv.ParseFloat(strings.TrimSpace(string(buf[len(s.prefix):])), 64)
			if err != nil || back != s.last.value || math.Abs(v-s.last.value) > math.Abs(s.step.value)/2 {
				break
			}
		}
		if i > 0 {
			w.WriteString(s.sep)
		}
		w.Write(append(buf, s.suffix...))
	}
	s.finish(w)
}

// finish ends the output with a line break when something was written.
func (s *sequence) finish(w *command.Writer) {
	if s.step.value > 0 && s.first.value <= s.last.value || s.step.value < 0 && s.first.value >= s.last.value {
		w.WriteByte('\n')
	}
}

// writeWhole counts in whole numbers of any size.
func (s *sequence) writeWhole(ctx context.Context, w *command.Writer) {
	last := s.last.whole
	if last == nil {
		last, _ = big.NewFloat(s.last.value).Int(nil)
		if big.NewFloat(s.last.value).Cmp(new(big.Float).SetInt(last)) < 0 {
			last.Sub(last, big.NewInt(1)) // rounded toward zero
		}
	}
	step, up := s.step.whole, s.step.whole.Sign() > 0
	small := s.first.whole.IsInt64() && last.IsInt64() && step.IsInt64() && new(big.Int).Add(last, step).IsInt64() && new(big.Int).Add(s.first.whole, step).IsInt64()
	var buf []byte
	if small {
		n, to, by := s.first.whole.Int64(), last.Int64(), step.Int64()
		for i := 0; up && n <= to || !up && n >= to; n += by {
			if i > 0 {
				w.WriteString(s.sep)
			}
			if i++; i&1023 == 0 && (ctx.Err() != nil || w.Err() != nil) {
				return
			}
			buf = s.padded(strconv.AppendInt(buf[:0], n, 10))
			w.Write(buf)
		}
	} else {
		for n := new(big.Int).Set(s.first.whole); ctx.Err() == nil && w.Err() == nil; {
			if order := n.Cmp(last); up && order > 0 || !up && order < 0 {
				break
			}
			if n.Cmp(s.first.whole) != 0 {
				w.WriteString(s.sep)
			}
			buf = s.padded(n.Append(buf[:0], 10))
			w.Write(buf)
			n.Add(n, step)
		}
	}
	if order := s.first.whole.Cmp(last); up && order <= 0 || !up && order >= 0 {
		w.WriteByte('\n')
	}
}

// padded puts zeros before a number, behind its sign.
func (s *sequence) padded(b []byte) []byte {
	for missing := s.width - len(b); missing > 0; missing-- {
		b = append(b, 0)
		at := 0
		if b[0] == '-' {
			at = 1
		}
		copy(b[at+1:], b[at:])
		b[at] = '0'
	}
	return b
}
