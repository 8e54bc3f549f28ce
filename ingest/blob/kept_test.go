package blob

import (
	"bytes"
	"io"
	"testing"

	"gocloud.dev/blob"
)

// TestSmallObjects: one is asked for once, however often it is opened; a big one,
// and those for which there is no room any more, each time.
func TestSmallObjects(t *testing.T) {
	f := func(what string, size int, left int64, want int) {
		t.Helper()
		store := &breaking{text: bytes.Repeat([]byte("0123456789abcdef"), size/16), each: size}
		in := blob.NewBucket(store)
		defer in.Close() //nolint:errcheck // nothing is written
		o := &object{ctx: t.Context(), in: in, name: &name{scheme: "s3", bucket: "b"}, key: "k", size: int64(size), room: &room{}}
		o.room.taken.Store(roomForKept - left)
		for _, offset := range []int{0, 0, 5, size} {
			r, err := o.Open(int64(offset))
			must(t, err)
			text, err := io.ReadAll(r)
			if err != nil || !bytes.Equal(text, store.text[offset:]) {
				t.Errorf("%s, from %d: %d bytes, %v", what, offset, len(text), err)
			}
			r.Close()
		}
		if store.opened != want {
			t.Errorf("%s: asked for %d times, want %d", what, store.opened, want)
		}
	}
	f("small", 1024, roomForKept, 1)
	f("the last there is room for", 1024, 1024, 1)
	f("no room", 1024, 1023, 4)
	f("big", smallObject+16, roomForKept, 4)
}

// TestBrokenSmallObject: what does not come whole is judged as far as it comes.
func TestBrokenSmallObject(t *testing.T) {
	store := &breaking{text: []byte("0123456789"), end: io.ErrUnexpectedEOF}
	in := blob.NewBucket(store)
	defer in.Close() //nolint:errcheck // nothing is written
	o := &object{ctx: t.Context(), in: in, name: &name{scheme: "s3", bucket: "b"}, key: "k", size: 10, room: &room{}}
	r, err := o.Open(0)
	must(t, err)
	defer r.Close()
	if text, err := io.ReadAll(r); err == nil || len(text) > 0 {
		t.Errorf("%q, %v", text, err)
	}
}
