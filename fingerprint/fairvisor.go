package fingerprint

import (
	"bytes"
	"hash/crc32"
	"slices"
	"strconv"
)

// newFairvisor is the fingerprint of Fairvisor's loop detector: CRC-32 of
// method, path, the query's name=value in the order of names, the body's hash
// and the descriptors' name=value in the order of names, joined by bars.
//
// A name that the query repeats is a table in its Lua, printed with its
// address: such a request never equals another.
func newFairvisor(o Options) (*Identity, error) {
	if err := o.refuseBut("limit_keys", "body_hash"); err != nil {
		return nil, err
	}
	keys := o.descriptors()
	reads := ReadsQuery | ReadsAttributes
	if !o.IgnoreBody {
		reads |= ReadsBody | ReadsMessages
	}
	return &Identity{Name: "fairvisor", Reads: reads, compute: func(r *Request, w *Writer) Cause {
		dst := append(w.canonical[:0], r.Method...)
		dst = append(append(dst, '|'), r.Path...)
		query := r.Query
		query.Raw = firstArgs(query.Raw)
		pairs := w.queryPairs(&query)
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
				// What the documents say: nothing that is shipped hashes it.
				dst = strconv.AppendUint(append(dst, '|'), uint64(crc32.ChecksumIEEE(r.Body)), 10)
			}
		}
		dst = appendDescriptors(dst, r, pairs, keys, keys == nil)
		if len(dst) == len("|") { // nothing that it looks at: strangers would be the same
			w.canonical = dst
			return NoPath
		}
		w.emit(dst, hashCRC)
		return Computable
	}}, nil
}

// descriptors are the attributes that LimitKeys names, in their order; nil are all.
func (o Options) descriptors() []string {
	keys := slices.Clone(o.LimitKeys)
	slices.Sort(keys)
	return slices.Compact(keys)
}

func appendPair(dst, name, value []byte) []byte {
	dst = append(append(dst, '|'), name...)
	return append(append(dst, '='), value...)
}

// maxArgs is how many names ngx.req.get_uri_args reads of a query. What has none
// it drops without counting it: only the older code, which lua-resty-core stands
// in for, counts every part.
const maxArgs = 100

// firstArgs cuts a raw query behind its first maxArgs names.
func firstArgs(raw []byte) []byte {
	n, start := 0, 0
	for i, c := range raw {
		if c != '&' {
			continue
		}
		if i > start && raw[start] != '=' { // it has a name
			if n++; n == maxArgs {
				return raw[:i]
			}
		}
		start = i + 1
	}
	return raw
}

// isBodiless tells a request that has no body, whatever the log has of it.
func (r *Request) isBodiless() bool {
	switch string(r.Method) {
	case "GET", "HEAD", "OPTIONS", "TRACE", "CONNECT", "DELETE":
		return true
	}
	return false
}
