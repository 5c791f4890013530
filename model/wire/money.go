package wire

import (
	"math/big"
	"strconv"
)

// Money is an amount in dollars that may be absent: then N is nil. N counts nano-dollars.
type Money struct{ N *int64 }

const (
	nanos       = 1_000_000_000 // of a dollar
	mostDollars = 1_000_000     // that an answer is believed to have cost
	leastDollar = 1e-12         // below is nothing
	longestText = 64            // bytes of an amount
)

// UnmarshalJSON implements [json.Unmarshaler]. What is no amount counts as absent.
func (m *Money) UnmarshalJSON(b []byte) error {
	m.N = nil
	text := string(b)
	rough, err := strconv.ParseFloat(text, 64) // bounds the exponent
	if err != nil || len(text) > longestText || !(rough >= 0 && rough <= mostDollars) {
		return nil
	}
	n := int64(0)
	if rough >= leastDollar {
		exact, ok := new(big.Rat).SetString(text)
		if !ok {
			return nil
		}
		exact.Mul(exact, new(big.Rat).SetInt64(nanos)).Add(exact, big.NewRat(1, 2)) // rounded
		n = new(big.Int).Quo(exact.Num(), exact.Denom()).Int64()
	}
	m.N = &n
	return nil
}
