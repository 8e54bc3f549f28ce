package fingerprint

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// newFairvisor is the fingerprint of Fairvisor's loop detector: CRC-32 of
// method, path, the query's name=value in the order of names, the body's hash
// and the descriptors' name=value in the order of names, joined by bars.
//
// A name that the query repeats is a table in its Lua, printed with its
// address: such a request never equals another.
func newFairvisor(o Options) (*Identity, error) {
	if err := o.refuse("parts", "mask", "normalize"); err != nil {
		return nil, err
	}
	keys := slices.Clone(o.LimitKeys)
	slices.Sort(keys)
	reads := ReadsQuery | ReadsAttributes
	if !o.IgnoreBody {
		reads |= ReadsBody | ReadsMessages
	}
	return &Identity{Name: "fairvisor", Reads: reads, compute: func(r *Request, w *Writer) Cause {
		dst := append(w.canonical[:0], r.Method...)
		dst = append(append(dst, '|'), r.Path...)
		pairs := w.queryPairs(&r.Query)
		for i, p := range pairs {
			if i > 0 && bytes.Equal(p.Name, pairs[i-1].Name) {
				w.canonical = dst
				return RepeatedName
			}
			value := p.Value
			if p.Bare {
				value = []byte("true")
			}
			dst = appendPair(dst, p.Name, value)
		}
		if !o.IgnoreBody {
			cause := w.lossOfBody(r)
			if cause == Computable && o.RequireBody && r.Body == nil && !r.isBodiless() {
				cause = NoBody
			}
			switch {
			case r.BodyHash != nil:
				dst = append(append(dst, '|'), r.BodyHash...)
			case cause != Computable:
				w.canonical = dst
				return cause
			case r.Body != nil:
				// The documents do not name the hash; for finding equal
				// bodies any will do.
				sum := sha256.Sum256(r.Body)
				dst = hex.AppendEncode(append(dst, '|'), sum[:])
			}
		}
		w.emit(w.appendDescriptors(dst, r, keys, o.LimitKeys == nil), hashCRC)
		return Computable
	}}, nil
}

func appendPair(dst, name, value []byte) []byte {
	dst = append(append(dst, '|'), name...)
	return append(append(dst, '='), value...)
}

// appendDescriptors appends the attributes named by keys, which are in order,
// or all of them.
func (w *Writer) appendDescriptors(dst []byte, r *Request, keys []string, all bool) []byte {
	if !all {
		for _, key := range keys {
			if value := r.Attribute(key); value != nil {
				dst = appendPair(dst, []byte(key), value)
			}
		}
		return dst
	}
	slices.SortStableFunc(r.Attributes, func(a, b Attribute) int { return bytes.Compare(a.Name, b.Name) })
	for _, a := range r.Attributes {
		dst = appendPair(dst, a.Name, a.Value)
	}
	return dst
}

// isBodiless tells a request that has no body, whatever the log has of it.
func (r *Request) isBodiless() bool {
	switch string(r.Method) {
	case "GET", "HEAD", "OPTIONS", "TRACE", "CONNECT", "DELETE":
		return true
	}
	return false
}
