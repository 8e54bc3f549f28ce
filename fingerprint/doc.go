// Package fingerprint says when two requests are the same.
//
// A [Request] is one record of a gateway's log. An [Identity] is a function
// from a request to zero or more canonical byte strings and their hashes, the
// fingerprints: zero when the identity is not computable from what the log
// line carries, and then there is a [Cause]. A [Scope] says whose counter it
// is.
//
// The package reads no clock, no file and no environment: equal requests give
// equal fingerprints on every machine, in every order, for ever.
package fingerprint
