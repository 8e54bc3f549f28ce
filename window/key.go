package window

import "github.com/loopgauge/loopgauge/fingerprint"

// printKey is the first 128 bits of a fingerprint. A counter serves one rule,
// and the fingerprints of one identity are all of one size, so that is as
// good as the whole; a CRC-32 is followed by zeros.
type printKey [16]byte

func printKeyOf(f *fingerprint.Fingerprint) (k printKey) {
	b := f.Bytes()
	if len(b) >= len(k) {
		return printKey(b)
	}
	copy(k[:], b)
	return k
}

// pairKey tells every fingerprint of every scope apart. It is the two side by
// side, not a hash of them: a CRC-32 is easy to forge, and a client must not
// be able to run into a stranger's counter.
type pairKey struct {
	scope fingerprint.ScopeKey
	print printKey
}

func pairKeyOf(h *Hit) pairKey { return pairKey{h.Scope, printKeyOf(&h.Print)} }
