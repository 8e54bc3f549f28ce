// Package ingest reads logs: it finds the sources, unpacks them, cuts them
// into blocks of whole lines, recognises their format, and reads the lines as
// requests. It keeps count of every line.
//
// A source that ends is a [Stream]; one that goes on is a [Feed] of [Live] streams,
// of which [Follow] makes files that grow and are rotated. Both give blocks, which
// a [Reader] reads.
package ingest
