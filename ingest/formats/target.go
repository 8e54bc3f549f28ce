package formats

import (
	"bytes"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// requestLine takes "METHOD target HTTP/1.1" apart. A client may send anything
// instead, and gateways log it.
func requestLine(line []byte) (method, target []byte, ok bool) {
	method, rest, ok := bytes.Cut(line, []byte(" "))
	if !ok || len(method) == 0 || string(method) == "-" { // as Envoy and Traefik write where there is none
		return nil, nil, false
	}
	for _, c := range method {
		if (c < 'A' || c > 'Z') && c != '-' && c != '_' {
			return nil, nil, false
		}
	}
	if k := bytes.LastIndex(rest, []byte(" HTTP/")); k >= 0 {
		rest = rest[:k]
	}
	return method, rest, len(rest) > 0
}

// splitTarget notes the path and the query of a request's target, if there is
// one. It may be a whole URL, as over HTTP/2 in HAProxy's log.
func splitTarget(r *fingerprint.Request, target []byte) {
	if target == nil {
		return
	}
	if i := bytes.Index(target, []byte("://")); i > 0 && bytes.IndexAny(target, "/?") > i {
		target = target[i+len("://"):]
		if i = bytes.IndexAny(target, "/?"); i < 0 {
			i = len(target)
		}
		if target = target[i:]; len(target) == 0 || target[0] == '?' {
			target = append([]byte("/"), target...)
		}
	}
	path, query, found := bytes.Cut(target, []byte("?"))
	if r.Path = path; found {
		r.Query = fingerprint.Query{Raw: query}
	}
}

// setPath notes a path that stands beside its query, where the log has one. A
// query that stands in the path all the same is no part of it: paths are
// written out, queries never.
func setPath(r *fingerprint.Request, path []byte) {
	query := r.Query
	if splitTarget(r, path); !query.Empty() {
		r.Query = query
	}
}

// setQuery notes a query that stands in its own place. Where nothing is in it,
// what was found in the path counts.
func setQuery(r *fingerprint.Request, query fingerprint.Query) {
	if !query.Empty() || r.Query.Empty() {
		r.Query = query
	}
}
