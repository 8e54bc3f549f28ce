package fingerprint

import (
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"
)

// Parse reads what Fingerprint.String wrote: 32 or 64 hex digits, or the
// decimal number of a CRC-32.
func Parse(text string) (f Fingerprint, ok bool) {
	switch n := hex.DecodedLen(len(text)); {
	case len(text) == hex.EncodedLen(16), len(text) == hex.EncodedLen(len(f.sum)):
		if _, err := hex.Decode(f.sum[:n], []byte(text)); err != nil {
			return Fingerprint{}, false
		}
		f.size = uint8(n)
	default:
		crc, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return Fingerprint{}, false
		}
		binary.BigEndian.PutUint32(f.sum[:], uint32(crc))
		f.size = 4
	}
	return f, f.String() == text // written in one way only
}

// FromBytes is the fingerprint of a binary form that Bytes gave.
func FromBytes(b []byte) (f Fingerprint, ok bool) {
	if len(b) != 4 && len(b) != 16 && len(b) != len(f.sum) {
		return Fingerprint{}, false
	}
	f.size = uint8(copy(f.sum[:], b))
	return f, true
}

// ParseCause reads what Cause.String wrote.
func ParseCause(text string) (c Cause, ok bool) {
	i := slices.Index(causeTexts[:], text)
	return Cause(max(i, 0)), i >= 0
}
