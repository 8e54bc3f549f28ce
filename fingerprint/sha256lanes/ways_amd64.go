package sha256lanes

import (
	"crypto/fips140"

	"golang.org/x/sys/cpu"
)

var (
	byExtensions = way{lanes: 2, worth: 1, words: [8]int{3, 2, 7, 6, 1, 0, 5, 4}, step: 8}
	byAVX512     = way{lanes: 8, worth: 1, words: [8]int{0, 8, 16, 24, 32, 40, 48, 56}, step: 1}
	byAVX2       = way{lanes: 8, worth: 2, words: byAVX512.words, step: 1}
)

// ways are those that the processor knows, the best first. In FIPS mode hashing
// is left to the module that was validated.
func ways() (known []*way) {
	if fips140.Enabled() {
		return nil
	}
	if cpu.X86.HasSSSE3 && hasSHA() {
		known = append(known, &byExtensions)
	}
	if cpu.X86.HasAVX512VL && cpu.X86.HasAVX512BW {
		known = append(known, &byAVX512)
	}
	if cpu.X86.HasAVX2 {
		known = append(known, &byAVX2)
	}
	return known
}

// compress hashes the next n blocks of each lane.
func (w *way) compress(s *state, blocks *[maxLanes]*byte, n int) {
	switch w {
	case &byExtensions:
		pair((*[8]uint32)(s[:]), (*[8]uint32)(s[8:]), blocks[0], blocks[1], n)
	case &byAVX512:
		avx512(s, blocks, n)
	default:
		avx2(s, blocks, n)
	}
}

// pair has the words of a state in the order in which the instructions want
// them: f, e, b, a and h, g, d, c of FIPS 180-4.
//
//go:noescape
func pair(a, b *[8]uint32, p, q *byte, n int)

//go:noescape
func avx512(s *state, blocks *[maxLanes]*byte, n int)

//go:noescape
func avx2(s *state, blocks *[maxLanes]*byte, n int)

// hasSHA says whether the processor has the SHA extensions, of which
// golang.org/x/sys/cpu does not tell.
func hasSHA() bool
