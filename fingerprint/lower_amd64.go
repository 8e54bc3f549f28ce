package fingerprint

import "golang.org/x/sys/cpu"

var hasVectors = cpu.X86.HasAVX2

// lowerVectors writes the lower case of the n vectors at src, of which there
// is one at least, to dst, up to the first with a byte that is DEL or beyond
// ASCII. It returns the number of bytes that it has written.
//
//go:noescape
func lowerVectors(dst, src *byte, n int) (done int)
