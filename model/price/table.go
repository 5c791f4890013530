package price

import (
	_ "embed" // the table
	"sync"
)

//go:embed prices.json
var embedded []byte

// Known gives the table that is part of the program.
var Known = sync.OnceValue(func() *Table {
	t, err := Parse(embedded)
	if err != nil {
		panic(err) // a test reads it
	}
	return t
})
