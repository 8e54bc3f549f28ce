// Package response says what a client would have seen, had the gateway of a
// rule acted: status, headers, body and delay, as the gateway's code or its
// documents have them. One gateway a file; [Gateways] lists them.
package response
