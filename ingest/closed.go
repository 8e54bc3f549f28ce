package ingest

import "slices"

// closed makes of the beginning of a JSON document one that ends: it is cut
// behind the last object or array that ended in it, and what is open there is
// closed. It is nil if nothing is open, or has ended.
func closed(data []byte) []byte {
	var open []byte // what closes each container that is open
	end, depth := 0, 0
	quoted, escaped := false, false
	for i, c := range data {
		switch {
		case escaped:
			escaped = false
		case quoted:
			quoted, escaped = c != '"', c == '\\'
		case c == '"':
			quoted = true
		case c == '{':
			open = append(open, '}')
		case c == '[':
			open = append(open, ']')
		case c == '}', c == ']':
			if len(open) == 0 {
				return nil
			}
			open = open[:len(open)-1]
			end, depth = i+1, len(open)
		}
	}
	if len(open) == 0 || end == 0 {
		return nil
	}
	closing := slices.Clone(open[:depth])
	slices.Reverse(closing)
	return append(slices.Clone(data[:end]), closing...)
}
