// Package near owns how alike two names are, for messages that name the one that was
// likely meant. It knows nothing of what the names are for, and holds no state.
package near

// maxCompared bounds the characters of a name that are compared.
const maxCompared = 80

// Distance is the edit distance of two names, over their first 80 characters.
func Distance(a, b string) int {
	x, y := head(a), head(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j, s := range y {
			cost := diagonal
			if r != s {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(y)]
}

func head(s string) []rune {
	out := make([]rune, 0, min(len(s), maxCompared))
	for _, r := range s {
		if len(out) == maxCompared {
			break
		}
		out = append(out, r)
	}
	return out
}

// One gives the name with the least distance, the first of several; "" when there is none.
func One(name string, names []string) string {
	best, least := "", 0
	for _, n := range names {
		if d := Distance(name, n); best == "" || d < least {
			best, least = n, d
		}
	}
	return best
}
