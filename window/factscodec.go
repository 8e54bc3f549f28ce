package window

import (
	"math"

	"github.com/loopgauge/loopgauge/window/snapshot"
)

// numbers are the whole numbers of f, in the order in which a checkpoint holds
// them.
func (f *Facts) numbers() []*int64 {
	r := &f.wasHeard().results
	return []*int64{&f.Requests, &f.First, &f.since, &f.Probes, &f.OneToken, &f.Gets, &f.failed, &f.unavailable, &f.answered, &f.issued, &f.instants, &f.together, &f.cycle, &f.period, &f.last, &f.start, &f.pauses, &r.turns, &r.changes, &r.run, &r.longest, &r.blank, &r.loose}
}

func (f *Facts) varieties() []*variety {
	h := f.wasHeard()
	return []*variety{&f.sessions, &h.answers, &h.messages}
}

func (f *Facts) code(c *coder) {
	hashes := func(list *[]uint64) { snapshot.List(c.Codec, list, 8, c.Uint64) }
	if c.Reads() {
		f.heard = &heard{}
	}
	for _, n := range f.numbers() {
		c.Varint(n)
	}
	c.Float64(&f.pauseSum)
	c.Float64(&f.pauseSquares)
	c.Check(f.pauses >= 0, "a stretch has %d pauses", f.pauses)
	for i := range f.pausesKept() {
		bits := uint64(math.Float32bits(f.latest[i]))
		c.Uvarint(&bits)
		f.latest[i] = math.Float32frombits(uint32(bits))
	}
	for _, v := range f.varieties() {
		c.Varint(&v.n)
		hashes(&v.seen)
	}
	hashes(&f.wasHeard().results.held)
	snapshot.List(c.Codec, &f.errors, 3, func(e *errorsAt) {
		c.Varint(&e.at.minute)
		snapshot.Size(c.Codec, &e.at.class, errorClasses-1)
		c.Varint(&e.n)
	})
	c.Uint64(&f.said)
	c.Bool(&f.mixed)
}

// codeStretch codes the facts of a stretch, if there is one, with those that belong
// to it, which have none of their own.
func codeStretch(c *coder, f **Facts) {
	one := func(f **Facts) {
		some := *f != nil
		if c.Bool(&some); some {
			if c.Reads() {
				*f = &Facts{}
			}
			(*f).code(c)
		}
	}
	if one(f); *f != nil {
		one(&(*f).run)
		one(&(*f).loop)
		one(&(*f).before)
	}
}
