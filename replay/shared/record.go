package shared

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/loopgauge/loopgauge/window"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// A record of an events topic is
//
//	0 "lg"     which no line of a log begins with
//	version    1 byte
//	sum        8 bytes, of the plan and the options that it was made with
//	kind       1 byte, an event or a mark
//	origin, origins, targets, epoch, offset, item, newest
//	event      as window.EventWriter writes it
//	idle, name of a mark
const (
	version = 4 // since events have spans
	oldest  = 3 // that is read: since evidence looks at other identities
)

var magic = []byte{0, 'l', 'g'}

const headBytes = 12 // with the sum

// isRecord tells records of an events topic from others.
func isRecord(value []byte) bool { return bytes.HasPrefix(value, magic) }

const (
	eventKind = iota
	markKind
)

// record is one of an events topic.
type record struct {
	origin  int // partition of the raw topic that it comes from
	origins int // how many of them there are
	targets int // how many partitions the events topic has
	at      place
	newest  int64 // how far the origin had come with it: fingerprint.NoTime if nothing is known

	event *window.Event // nil for a mark
	// idle says that the origin has been silent and shall hold nothing back.
	// All that came before a mark has been written before it.
	idle bool
	name string // of the origin, which marks alone say
}

// place is where in its origin a record stands. A mark stands before the
// record at its offset.
type place struct {
	epoch  int64 // another where the origin's offsets begin anew
	offset int64
	item   int64 // index in a record that is a JSON array; -1 for a mark
}

// nowhere is before all that comes.
var nowhere = place{offset: -1}

// repeats tells whether what stands there has come before, given the newest
// that has. Epochs have no order.
func (p place) repeats(newest place) bool {
	return p.epoch == newest.epoch && cmp.Or(cmp.Compare(p.offset, newest.offset), cmp.Compare(p.item, newest.item)) <= 0
}

// codec writes and reads records. One goroutine uses it at a time.
type codec struct {
	sum    [8]byte
	writer *window.EventWriter
	reader *window.EventReader
}

// newCodec makes a codec for events of a plan, judged by the same lateness.
func newCodec(plan *window.Plan, o window.ExtractOptions, lateness time.Duration) *codec {
	c := &codec{writer: plan.NewEventWriter(), reader: plan.NewEventReader()}
	sum := plan.Sum(o)
	all := sha256.Sum256(binary.BigEndian.AppendUint64(sum[:], uint64(lateness)))
	copy(c.sum[:], all[:])
	return c
}

func (c *codec) write(r *record) []byte {
	w := snapshot.NewWriter(nil)
	w.Fixed(magic)
	w.Fixed([]byte{version})
	w.Fixed(c.sum[:])
	c.code(w.Codec(), r)
	return w.Bytes()
}

// code writes what stands behind the head of a record, or reads it.
func (c *codec) code(to *snapshot.Codec, r *record) {
	kind := eventKind
	if r.event == nil {
		kind = markKind
	}
	snapshot.Size(to, &kind, markKind)
	for _, n := range []*int{&r.origin, &r.origins, &r.targets} {
		snapshot.Size(to, n, math.MaxInt32)
	}
	snapshot.Size(to, &r.at.epoch, math.MaxInt64)
	snapshot.Size(to, &r.at.offset, math.MaxInt64)
	to.Varint(&r.at.item)
	to.Varint(&r.newest)
	to.Check(r.origin < r.origins, "it comes from partition %d of %d", r.origin, r.origins)
	switch {
	case kind == markKind:
		to.Bool(&r.idle)
		snapshot.Text(to, &r.name)
	case to.Reads():
		r.event = &window.Event{}
		c.reader.Reset()
		c.reader.Read(to.From, r.event)
	default:
		c.writer.Reset()
		c.writer.Write(to.To, r.event)
	}
}

// problem is a record that cannot be judged, and what to do about it.
type problem struct{ what, hint string }

func (p *problem) Error() string { return p.what }

func (c *codec) read(value []byte) (*record, error) {
	if !isRecord(value) || len(value) < headBytes {
		return nil, &problem{"a record that loopgauge extract did not write", "name the topic that extract writes with --to, and let nobody else write to it"}
	}
	if v := value[len(magic)]; v < oldest || v > version {
		return nil, &problem{fmt.Sprintf("a record of version %d: this program knows %d", v, version), "run the same version of extract and watch; a new version may need a new topic"}
	}
	if !bytes.Equal(value[len(magic)+1:headBytes], c.sum[:]) {
		return nil, &problem{
			"its events were made with other rules than those that are to judge them: identities, scopes, matches, exclusions, lateness or keys differ",
			"give extract and watch the same policy and flags; after a change let extract write to a new topic",
		}
	}
	r := snapshot.NewReader(value[headBytes:])
	rec := &record{}
	c.code(r.Codec(), rec)
	switch {
	case r.Err() != nil:
	case rec.event != nil && int(rec.event.Position.Stream) != rec.origin:
		r.Failf("its event is of stream %d", rec.event.Position.Stream)
	case r.Left() > 0:
		r.Failf("something follows it")
	}
	if err := r.Err(); err != nil {
		return nil, &problem{"a damaged record: " + err.Error(), "the topic was written by something else than loopgauge extract"}
	}
	return rec, nil
}
