package sha256lanes

import (
	"crypto/fips140"

	"golang.org/x/sys/cpu"
)

var (
	byExtensions = way{lanes: 2, words: [8]int{3, 2, 7, 6, 1, 0, 5, 4}, step: 8}
	byAVX512     = way{lanes: 8, words: [8]int{0, 8, 16, 24, 32, 40, 48, 56}, step: 1}
	byAVX2       = way{lanes: 8, words: byAVX512.words, step: 1}
)

// ways are those that the processor knows, the best first. In FIPS mode hashing
// is left to the module that was validated.
//
// By AMD's instructions for SHA-256 two messages take little longer than one. By
// Intel's they take 1.6 times as long, and eight by AVX-512 three times as long as
// the two, which is a quarter less for a message.
func ways() (known []choice) {
	if fips140.Enabled() {
		return nil
	}
	sha, intel := identify()
	sha = sha && cpu.X86.HasSSSE3
	vectors := cpu.X86.HasAVX512VL && cpu.X86.HasAVX512BW
	if vectors && sha && intel {
		known = append(known, choice{&byAVX512, 7})
	}
	if sha {
		known = append(known, choice{&byExtensions, 1})
	}
	if vectors && (!sha || !intel) {
		known = append(known, choice{&byAVX512, 1})
	}
	if cpu.X86.HasAVX2 {
		known = append(known, choice{&byAVX2, 2})
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

// identify says whether the processor has the SHA extensions, and whether it is
// Intel's, of which golang.org/x/sys/cpu does not tell.
func identify() (sha, intel bool)
