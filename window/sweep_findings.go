package window

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// Findings are what a [Sweep] finds in some events, for who keeps account of
// what repeats. They are good as long as the events are, and may be looked at while
// another goroutine counts the next.
type Findings struct {
	List []Finding // in the order in which it was found

	counts  []uint8 // memory of those of List
	tracked []int32 // likewise
}

// Finding is one thing found.
type Finding struct {
	What   What
	Target int
	Key    uint32 // no other live key of the target has that number
	Event  *Event // nil if the key is gone

	// Of a hit that repeats another within the longest window.
	Print   int     // which of the fingerprints of the event
	First   int64   // time of the key's first hit
	Counts  []uint8 // by cell, at most 255: a rule fires whose threshold is that or less
	Round   Round   // how it came round, in the longest window: in its session, if the log has it
	Tracked []int32 // by window: the highest threshold at which a tracker fires; nil unless the rule has one
}

// What a finding is.
type What uint8

const (
	Repeats What = iota // a hit that repeats an earlier one
	Hears               // a request that says what came of calls, for [Witness.Hear]; of no key
	Gone                // a key whose hits were Repeats: no pause is longer that any setting looks back, or its memory was needed
)

// Reset forgets the findings but for their memory.
func (f *Findings) Reset() { f.List, f.counts, f.tracked = f.List[:0], f.counts[:0], f.tracked[:0] }

func (f *Findings) add(what What, target int, key uint32, ev *Event) *Finding {
	f.List = room(f.List)
	found := &f.List[len(f.List)-1]
	found.What, found.Target, found.Key, found.Event = what, target, key, ev
	return found
}

// copied adds values to the end of a list, and returns them there.
func copied[T any](list *[]T, values []T) []T {
	from := len(*list)
	*list = append(*list, values...)
	return (*list)[from:len(*list):len(*list)]
}

// RepeatID is the id of the repeats of a fingerprint in a scope from the time
// of its first request on, microseconds: lp- and 16 hex digits.
func RepeatID(rule *Rule, scope []string, print *fingerprint.Fingerprint, first int64) string {
	sum := sha256.New()
	sum.Write([]byte(rule.Name))
	for _, value := range scope {
		sum.Write(binary.BigEndian.AppendUint64(nil, uint64(len(value))))
		sum.Write([]byte(value))
	}
	sum.Write(print.Bytes())
	sum.Write(binary.BigEndian.AppendUint64(nil, uint64(first)))
	return "lp-" + hex.EncodeToString(sum.Sum(nil)[:8])
}
