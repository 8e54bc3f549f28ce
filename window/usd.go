package window

import "math"

// USD is a sum of money in billionths of a dollar. Sums of prices as floating
// point numbers have tails, and depend on their order.
type USD int64

// perDollar is a dollar.
const perDollar = 1e9

// Plus adds dollars, to the nearest billionth. A sum stops at the largest there
// is.
func (u USD) Plus(dollars float64) USD {
	part := math.Round(dollars * perDollar)
	switch sum := float64(u) + part; {
	case math.IsNaN(sum):
		return u
	case sum >= math.MaxInt64:
		return math.MaxInt64
	case sum <= math.MinInt64:
		return math.MinInt64
	}
	return u + USD(part)
}

// add adds up two sums. It stops where Plus does.
func (u USD) add(o USD) USD {
	switch sum := u + o; {
	case o > 0 && sum < u:
		return math.MaxInt64
	case o < 0 && sum > u:
		return math.MinInt64
	default:
		return sum
	}
}

// Dollars is the sum as a number of few digits.
func (u USD) Dollars() float64 { return float64(u) / perDollar }
