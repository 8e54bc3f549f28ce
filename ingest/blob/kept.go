package blob

import (
	"io"
	"sync"
	"sync/atomic"
)

// A log is opened three times: to tell its format, to measure how far it is out of
// order, and to be judged. Of a small object the answer takes longer than what is
// in it, and there may be thousands, so the first one is kept, as long as there is
// room for it in memory.
const (
	smallObject = 1 << 20
	roomForKept = 64 << 20
)

// room is how many bytes may yet be kept of the objects that were found together.
type room struct{ taken atomic.Int64 }

// take tells whether there is room for so many bytes, which are then taken.
func (r *room) take(n int64) bool {
	if r.taken.Add(n) <= roomForKept {
		return true
	}
	r.taken.Add(-n)
	return false
}

// kept is what is kept of an object.
type kept struct {
	mu    sync.Mutex
	asked bool
	text  []byte // nil if it is too big, if there was no room, or if it did not come
}

// of is what is kept of an object, which is asked for the first time; nil if it is
// to be streamed.
func (k *kept) of(o *object) []byte {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.asked || o.size > smallObject || !o.room.take(o.size) {
		return k.text
	}
	k.asked = true
	r, err := o.stream(0)
	if err != nil {
		return nil // who streams it says so
	}
	defer r.Close()
	if text, err := io.ReadAll(r); err == nil {
		k.text = text
	}
	return k.text
}
