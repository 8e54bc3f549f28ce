package window

import (
	"crypto/sha256"
	"time"
)

// DefaultDuplicates is the horizon within which a request id counts once.
const DefaultDuplicates = 10 * time.Minute

// Duplicates finds requests that were logged twice: double logging makes "2"
// a normal count. Events must come in release order.
type Duplicates struct {
	seen    *table[[16]byte, struct{}]
	horizon int64
	id      []byte // scratch
}

// NewDuplicates remembers ids for horizon; 0 remembers none.
func NewDuplicates(horizon time.Duration) *Duplicates {
	h := horizon.Microseconds()
	return &Duplicates{seen: newTable[[16]byte, struct{}](h, 0, nil), horizon: h}
}

// Seen reports whether an event with this one's id came within the horizon,
// and remembers it. An event without an id is never a duplicate.
func (d *Duplicates) Seen(ev *Event) bool {
	if d.horizon == 0 || ev.ID == "" {
		return false
	}
	d.id = append(d.id[:0], ev.ID...)
	sum := sha256.Sum256(d.id)
	return !d.seen.add([16]byte(sum[:16]), ev.Time)
}

func (d *Duplicates) save(s *saver) {
	d.seen.save(s, func(e *tableEntry[[16]byte, struct{}]) { s.Fixed(e.key[:]) })
}

// load takes the ids whatever horizon they were remembered for: under a longer
// one than then, some are missing at first.
func (d *Duplicates) load(l *loader) {
	if d.horizon == 0 {
		l.Skip()
		return
	}
	d.seen.load(l, 17, func() (k [16]byte) {
		copy(k[:], l.Fixed(len(k)))
		return k
	}, func(*struct{}, int64) {})
}
