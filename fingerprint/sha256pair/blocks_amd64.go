package sha256pair

import (
	"crypto/fips140"

	"golang.org/x/sys/cpu"
)

// In FIPS mode hashing is left to the module that was validated.
var hasBlocks = cpu.X86.HasSSSE3 && hasSHA() && !fips140.Enabled()

// hasSHA says whether the processor has the SHA extensions, of which
// golang.org/x/sys/cpu does not tell.
func hasSHA() bool

// blocks compresses n blocks of 64 bytes, from p on into a and from q on into
// b.
//
//go:noescape
func blocks(a, b *state, p, q *byte, n int)
