package window

import (
	"encoding/binary"
	"hash/fnv"
	"slices"
	"strconv"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// variety counts different values, up to a bound.
type variety struct {
	seen []uint64 // a hash of each
	n    int64    // values, equal ones too
}

const mostVariety = 32

func (v *variety) add(hash uint64) {
	v.n++
	if !v.full() && !slices.Contains(v.seen, hash) {
		v.seen = append(v.seen, hash)
	}
}

// full tells that no more values are told apart.
func (v *variety) full() bool { return len(v.seen) >= mostVariety }

func (v *variety) addText(s string) {
	switch {
	case s == "":
	case v.full():
		v.n++
	default:
		v.add(textHash(s))
	}
}

func (v *variety) different() int64 { return int64(len(v.seen)) }

// String is how many different values there are, as far as is known.
func (v *variety) String() string {
	if v.full() {
		return strconv.Itoa(mostVariety) + " or more"
	}
	return strconv.Itoa(len(v.seen))
}

// printHash tells fingerprints apart, the same in every run.
func printHash(f *fingerprint.Fingerprint) uint64 {
	key := printKeyOf(f)
	return binary.BigEndian.Uint64(key[:])
}

// textHash tells texts apart, the same in every run.
func textHash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}
