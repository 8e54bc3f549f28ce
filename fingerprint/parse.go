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
	if n := hex.DecodedLen(len(text)); len(text) == hex.EncodedLen(16) || len(text) == hex.EncodedLen(len(f.sum)) {
		f.size = uint8(n)
		ok = decodeHex(f.sum[:n], text) // before the return, which may copy f before a call in it
		return f, ok
	}
	crc, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return Fingerprint{}, false
	}
	binary.BigEndian.PutUint32(f.sum[:], uint32(crc))
	f.size = 4
	return f, f.String() == text // written in one way only
}

// decodeHex decodes lower-case hex digits, two for each byte of to, and tells
// whether all are. A dataset has a fingerprint in every row.
func decodeHex(to []byte, text string) bool {
	all := byte(0)
	for i := range to {
		high, low := hexDigits[text[2*i]], hexDigits[text[2*i+1]]
		all |= high | low
		to[i] = high<<4 | low
	}
	return all < 16
}

// hexDigits are the values of hex digits, 16 and more of what is none.
var hexDigits = func() (values [256]byte) {
	for i := range values {
		values[i] = 0xff
	}
	for value, digit := range []byte("0123456789abcdef") {
		values[digit] = byte(value)
	}
	return values
}()

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
