package fingerprint

import (
	"bytes"
	"slices"
	"strings"
)

// appendDescriptors appends what a request has for keys, which are in order, or
// all attributes that may be descriptors.
func appendDescriptors(dst []byte, r *Request, query []pair, keys []string, all bool) []byte {
	if !all {
		for _, key := range keys {
			// What is empty is missing for Fairvisor.
			if value := descriptor(r, query, key); len(value) > 0 {
				dst = appendPair(dst, []byte(key), value)
			}
		}
		return dst
	}
	slices.SortStableFunc(r.Attributes, func(a, b Attribute) int { return bytes.Compare(a.Name, b.Name) })
	for _, a := range r.Attributes {
		if describes(a.Name) {
			dst = appendPair(dst, a.Name, a.Value)
		}
	}
	return dst
}

// describes tells that an attribute may be a descriptor that somebody limits by:
// Fairvisor has those of a few sources, and nobody names a header that is another
// one with each request.
func describes(name []byte) bool {
	source, rest, _ := bytes.Cut(name, []byte{':'})
	switch string(source) {
	case "header":
		return !slices.ContainsFunc(ofOneRequest, func(header string) bool { return sameHeader(rest, header) })
	case "jwt", "query", "ip", "ua":
		return true
	}
	return false
}

// ofOneRequest are headers that proxies, clients and tracers make anew for each
// request.
var ofOneRequest = []string{
	"x-request-id", "request-id", "x-client-request-id", "x-correlation-id", "x-trace-id", "traceparent", "tracestate", "baggage",
	"x-b3-traceid", "x-b3-spanid", "x-b3-parentspanid", "b3", "x-amzn-trace-id", "x-cloud-trace-context", "x-datadog-trace-id", "x-datadog-parent-id",
	"sentry-trace", "cf-ray", "idempotency-key", "x-stainless-retry-count", "date", "content-length",
}

// descriptor is what a request has for one of limit_keys. A header is found
// whatever its case and its dashes; a name of the query is one without being
// logged apart, and so is the address of who called, where the log has nobody else.
func descriptor(r *Request, query []pair, key string) []byte {
	if value := r.Attribute(key); value != nil {
		return value
	}
	switch source, name, _ := strings.Cut(key, ":"); source {
	case "header":
		for i := range r.Attributes {
			if sameHeader(r.Attributes[i].Name, key) {
				return r.Attributes[i].Value
			}
		}
	case "query":
		for _, p := range query {
			if string(p.Name) == name {
				if p.Bare {
					return []byte("true")
				}
				return p.Value
			}
		}
	case "ip":
		if name == "address" && isAddress(r.Caller) {
			return r.Caller
		}
	}
	return nil
}

// isAddress tells an IP address from names, keys and their hashes.
func isAddress(caller []byte) bool {
	colons := bytes.Count(caller, []byte{':'})
	if colons == 0 {
		return bytes.Count(caller, []byte{'.'}) == 3 && len(bytes.Trim(caller, "0123456789.")) == 0
	}
	return 2 <= colons && colons <= 7 && len(bytes.Trim(caller, "0123456789abcdefABCDEF:.")) == 0
}

// sameHeader compares names in any case, an underscore being a dash.
func sameHeader(a []byte, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := a[i], b[i]
		if x != y && foldHeader(x) != foldHeader(y) {
			return false
		}
	}
	return true
}

func foldHeader(c byte) byte {
	if c == '_' {
		return '-'
	}
	return asciiLower(c)
}
