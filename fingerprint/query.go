package fingerprint

import "github.com/loopgauge/loopgauge/fingerprint/rawjson"

// Query is a URL's query, either the raw text behind the question mark or a
// JSON object of names to a string or, for a repeated name, a list of strings.
type Query struct {
	Raw    []byte        // nil if not logged in this form
	Object rawjson.Value // nil if not logged in this form
}

// Pair is one name of a query with its values in their order, percent-decoded.
// A name without '=' has no value at all.
type Pair struct {
	Name   []byte
	Values [][]byte
}
