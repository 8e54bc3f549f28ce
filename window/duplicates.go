package window

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"time"
)

// DefaultDuplicates is the horizon within which a request id counts once.
const DefaultDuplicates = 10 * time.Minute

// Duplicates finds requests that were logged twice, since double logging makes "2"
// a normal count, and what was used and logged twice. Events must come in release
// order.
type Duplicates struct {
	seen    *table[[16]byte, struct{}]
	pairs   pairs
	horizon int64
	id      []byte // scratch
}

// NewDuplicates remembers ids for horizon; 0 remembers none.
func NewDuplicates(horizon time.Duration) *Duplicates {
	h := horizon.Microseconds()
	return &Duplicates{seen: newTable[[16]byte, struct{}](h, 0, nil), pairs: newPairs(h), horizon: h}
}

// Seen reports whether an event with this one's id, or of another span of its call,
// came within the horizon, and remembers it. An event without an id is never a
// duplicate.
func (d *Duplicates) Seen(ev *Event) bool {
	if d.horizon == 0 || ev.ID == "" {
		return false
	}
	d.id = append(d.id[:0], ev.ID...)
	sum := sha256.Sum256(d.id)
	again := !d.seen.add([16]byte(sum[:16]), ev.Time)
	if ev.Span.Own == 0 {
		return again
	}
	return d.pairs.seen(ev.Span, again, ev.Time)
}

// Spend takes from an event what an event within the horizon has used for it, of the
// same response.
func (d *Duplicates) Spend(ev *Event) {
	if d.horizon == 0 || ev.Response == 0 {
		return
	}
	var key [16]byte // no sum ends so
	binary.LittleEndian.PutUint64(key[:], ev.Response)
	if d.seen.add(key, ev.Time) {
		return
	}
	ev.TokensIn, ev.TokensOut = min(ev.TokensIn, 0), min(ev.TokensOut, 0) // unknown stays it
	if !math.IsNaN(ev.Cost) {
		ev.Cost = 0
	}
}

// code codes them as a version does. It takes the ids whatever horizon they were
// remembered for: under a longer one than then, some are missing at first. A state
// of version 7 and before has no spans.
func (d *Duplicates) code(c *coder, version uint64) {
	if c.Reads() && d.horizon == 0 {
		c.From.Skip()
		return
	}
	d.seen.code(c, 17, func(k *[16]byte) { c.Fixed(k[:]) }, func(*struct{}, int64) {})
	if version > 7 {
		d.pairs.code(c)
	}
}
