package replay

import "math"

// TextOrNull is null in a document where the text is empty.
func TextOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// NumberOrNull is null in a document where there is no number.
func NumberOrNull(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
