package data

import (
	"context"
	"math"
)

// change is lines that were taken from one side and put in on the other: a[a0:a1] became
// b[b0:b1].
type change struct{ a0, a1, b0, b1 int }

// script gives the changes that turn a into b, where equal lines have equal numbers. It
// follows the algorithm of Myers in linear space. The context stops it early.
func script(ctx context.Context, a, b []int) []change {
	s := &comparison{ctx: ctx, goneA: make([]bool, len(a)), goneB: make([]bool, len(b))}
	s.keep(a, b)
	n := len(s.a) + len(s.b) + 3
	s.forward, s.backward, s.zero = make([]int, 2*n), make([]int, 2*n), n
	s.cost = max(4096, int(math.Sqrt(float64(n))))
	s.compare(0, len(s.a), 0, len(s.b))
	runsA, runsB := runs(s.goneA), runs(s.goneB)
	slide(a, runsA, runsB)
	slide(b, runsB, runsA)
	var all []change
	i, j := 0, 0
	for gap := range runsA {
		c := change{i, i + runsA[gap], j, j + runsB[gap]}
		if c.a1 > c.a0 || c.b1 > c.b0 {
			all = append(all, c)
		}
		i, j = c.a1+1, c.b1+1
	}
	return all
}

// runs gives how many changed lines stand in each gap between unchanged lines: before the
// first one, between the first and the second, and so on.
func runs(gone []bool) []int {
	all := []int{0}
	for _, changed := range gone {
		if changed {
			all[len(all)-1]++
		} else {
			all = append(all, 0)
		}
	}
	return all
}

// comparison is the state of one script.
type comparison struct {
	ctx               context.Context
	goneA, goneB      []bool
	a, b              []int // without the lines that the other side lacks
	atA, atB          []int // where these lines are
	forward, backward []int // furthest x on each diagonal, at zero + diagonal
	zero              int
	cost              int // steps after which a part that will do is taken
}

// keep drops the lines that the other side has not at all: they are changed in any case.
func (s *comparison) keep(a, b []int) {
	count := map[int]uint8{}
	for _, line := range a {
		count[line] |= 1
	}
	for _, line := range b {
		count[line] |= 2
	}
	pick := func(lines []int, gone []bool) (kept, at []int) {
		for i, line := range lines {
			if gone[i] = count[line] != 3; !gone[i] {
				kept, at = append(kept, line), append(at, i)
			}
		}
		return kept, at
	}
	s.a, s.atA = pick(a, s.goneA)
	s.b, s.atB = pick(b, s.goneB)
}

// compare marks the changes between a[a0:a1] and b[b0:b1].
func (s *comparison) compare(a0, a1, b0, b1 int) {
	for {
		for a0 < a1 && b0 < b1 && s.a[a0] == s.b[b0] {
			a0++
			b0++
		}
		for a0 < a1 && b0 < b1 && s.a[a1-1] == s.b[b1-1] {
			a1--
			b1--
		}
		if a0 == a1 || b0 == b1 || s.ctx.Err() != nil {
			for ; a0 < a1; a0++ {
				s.goneA[s.atA[a0]] = true
			}
			for ; b0 < b1; b0++ {
				s.goneB[s.atB[b0]] = true
			}
			return
		}
		x, y := s.middle(a0, a1, b0, b1)
		s.compare(a0, x, b0, y)
		a0, b0 = x, y
	}
}

// middle gives a point on a shortest way, searching from both ends at once.
func (s *comparison) middle(a0, a1, b0, b1 int) (x, y int) {
	low, high := a0-b1, a1-b0 // diagonals that exist
	fmid, bmid := a0-b0, a1-b1
	fmin, fmax, bmin, bmax := fmid, fmid, bmid, bmid
	odd := (fmid-bmid)&1 != 0
	f, b, zero := s.forward, s.backward, s.zero
	f[zero+fmid], b[zero+bmid] = a0, a1
	for c := 1; ; c++ {
		if fmin > low {
			fmin--
			f[zero+fmin-1] = -1
		} else {
			fmin++
		}
		if fmax < high {
			fmax++
			f[zero+fmax+1] = -1
		} else {
			fmax--
		}
		for d := fmax; d >= fmin; d -= 2 {
			x := f[zero+d+1]
			if f[zero+d-1] >= x {
				x = f[zero+d-1] + 1
			}
			y := x - d
			for x < a1 && y < b1 && s.a[x] == s.b[y] {
				x++
				y++
			}
			f[zero+d] = x
			if odd && bmin <= d && d <= bmax && b[zero+d] <= x {
				return x, y
			}
		}
		if bmin > low {
			bmin--
			b[zero+bmin-1] = math.MaxInt
		} else {
			bmin++
		}
		if bmax < high {
			bmax++
			b[zero+bmax+1] = math.MaxInt
		} else {
			bmax--
		}
		for d := bmax; d >= bmin; d -= 2 {
			x := b[zero+d-1]
			if b[zero+d+1]-1 < x {
				x = b[zero+d+1] - 1
			}
			y := x - d
			for a0 < x && b0 < y && s.a[x-1] == s.b[y-1] {
				x--
				y--
			}
			b[zero+d] = x
			if !odd && fmin <= d && d <= fmax && x <= f[zero+d] {
				return x, y
			}
		}
		if c >= s.cost || c&255 == 0 && s.ctx.Err() != nil {
			return s.furthest(a1, b1, fmin, fmax)
		}
	}
}

// furthest gives the point of the search from the start that went furthest.
func (s *comparison) furthest(a1, b1, fmin, fmax int) (bestX, bestY int) {
	best := -1
	for d := fmax; d >= fmin; d -= 2 {
		x := min(s.forward[s.zero+d], a1)
		y := x - d
		if y > b1 {
			x, y = b1+d, b1
		}
		if x+y > best {
			best, bestX, bestY = x+y, x, y
		}
	}
	return bestX, bestY
}

// slide moves each run of changed lines of one side to where it reads best. A run moves by
// a line when the line that it leaves equals the one that it takes in: as far up as it
// goes, joining the runs there, then as far down, then back to the last gap in which the
// other side has changed lines as well.
func slide(lines, run, other []int) {
	start := 0
	for gap := 0; gap < len(run); gap++ {
		n := run[gap]
		if n == 0 {
			start++
			continue
		}
		to := func(next, length int) {
			run[gap] = 0
			gap = next
			n = length
			run[gap] = n
		}
		meets := -1
		for before := 0; before != n; {
			before = n
			for start > 0 && lines[start-1] == lines[start+n-1] {
				start -= 1 + run[gap-1]
				to(gap-1, n+run[gap-1])
			}
			meets = -1
			if other[gap] > 0 {
				meets = gap
			}
			for start+n < len(lines) && lines[start] == lines[start+n] {
				start++
				to(gap+1, n+run[gap+1])
				if other[gap] > 0 {
					meets = gap
				}
			}
		}
		if meets >= 0 {
			start -= gap - meets
			to(meets, n)
		}
		start += n + 1
	}
}
