package window

import (
	"math"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// coder writes the state of one rule, or reads it. Times stand in it as what lies
// between them and a time that stands there already.
type coder struct {
	*snapshot.Codec
	prints int // bytes of a fingerprint that is a key, at most 16
}

func (c *coder) scope(k *fingerprint.ScopeKey) { c.Fixed(k[:]) }
func (c *coder) print(k *printKey)             { c.Fixed(k[:c.prints]) }

func (c *coder) pair(k *pairKey) {
	c.scope(&k.scope)
	c.print(&k.print)
}

func (c *coder) fingerprint(f *fingerprint.Fingerprint) {
	if c.Reads() {
		*f = readFingerprint(c.From)
	} else {
		c.To.Blob(f.Bytes())
	}
}

func readFingerprint(r *snapshot.Reader) fingerprint.Fingerprint {
	f, ok := fingerprint.FromBytes(r.Blob())
	if !ok {
		r.Failf("a fingerprint has a length that none has")
	}
	return f
}

func (c *coder) position(p *fingerprint.Position) {
	c.int32(&p.Stream)
	c.int32(&p.Item)
	c.Varint(&p.Line)
	c.Varint(&p.Offset)
}

func (c *coder) int32(n *int32) {
	if c.Reads() {
		*n = readInt32(c.From)
	} else {
		c.To.Varint(int64(*n))
	}
}

func readInt32(r *snapshot.Reader) int32 {
	v := r.Varint()
	if v != int64(int32(v)) {
		r.Failf("a number is %d and should have 32 bits", v)
	}
	return int32(v)
}

// most is the highest count that is believed: no sum of such goes wrong.
const most = math.MaxInt64 >> 2

func (c *coder) count(n *int64) { snapshot.Size(c.Codec, n, most) }

// near is a time before another or after it.
func (c *coder) near(t *int64, other int64) {
	if c.Reads() {
		*t = other + c.From.Varint()
	} else {
		c.To.Varint(*t - other)
	}
}

// before is a time up to another.
func (c *coder) before(t *int64, other int64) {
	if !c.Reads() {
		c.To.Uvarint(uint64(other - *t))
		return
	}
	if *t = other - int64(c.From.Uvarint()); *t > other {
		c.From.Failf("a time is too early")
		*t = other
	}
}

// after is a time from another on.
func (c *coder) after(t *int64, other int64) {
	if !c.Reads() {
		c.To.Uvarint(uint64(*t - other))
		return
	}
	if *t = other + int64(c.From.Uvarint()); *t < other {
		c.From.Failf("a time is too late")
		*t = other
	}
}

// rising are times that rise, up to that of their key.
type rising struct {
	key, last int64
	some      bool
}

// next codes the next of them.
func (r *rising) next(c *coder, t *int64) {
	if r.some {
		c.after(t, r.last)
	} else {
		c.before(t, r.key)
	}
	if c.Reads() && *t > r.key {
		c.From.Failf("a time is later than that of its key")
		*t = r.last
	}
	r.last, r.some = *t, true
}

func readCause(r *snapshot.Reader, text string) fingerprint.Cause {
	c, ok := fingerprint.ParseCause(text)
	if !ok {
		r.Failf("%q is no reason for a request not to be computable", text)
	}
	return c
}
