package window

import (
	"strings"
	"testing"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
	"github.com/loopgauge/loopgauge/window/snapshot"
)

// TestPairs: of the requests of one call that two libraries wrote one counts,
// whichever comes first, and whether or not the process is another in between.
func TestPairs(t *testing.T) {
	// A request is its span, the one around it, and how much it says: "inner<outer:2".
	event := func(text string) *Event {
		ids, says, _ := strings.Cut(text, ":")
		id, around, _ := strings.Cut(ids, "<")
		sp := fingerprint.Span{Trace: []byte("t"), ID: []byte(id), Around: []byte(around)}
		if says != "" {
			sp.Says = fingerprint.Says(says[0] - '0')
		}
		return &Event{ID: id, Span: spanOf(&fingerprint.Request{Span: sp})}
	}
	f := func(want string, requests ...string) {
		t.Helper()
		for _, restarts := range []bool{false, true} {
			d := NewDuplicates(time.Minute)
			var got []string
			for i, text := range requests {
				ev := event(text)
				ev.Time = int64(i)
				if !d.Seen(ev) {
					got = append(got, ev.ID)
				}
				if restarts {
					d = reloaded(t, d, stateVersion)
				}
			}
			if got := strings.Join(got, " "); got != want {
				t.Errorf("of %q count %q, want %q (restarts: %v)", requests, got, want, restarts)
			}
		}
	}
	f("i", "i<o:2", "o:2")
	f("o", "o:2", "i<o:2")
	f("i", "i<o", "o")
	f("i", "i<o:2", "o") // the one that says more
	f("o", "o:2", "i<o")
	f("i o", "i<o", "o:2") // more comes too late to take back what has counted
	f("o i", "o", "i<o:2")
	f("i", "i<o:1", "o<:1", "i<o:1", "o:1") // logged twice
	// Tried again: each is a request.
	f("1 2 3", "1<o:2", "2<o:2", "3<o:2", "o:2")
	f("o 2 3", "o:2", "1<o:2", "2<o:2", "3<o:2")
	// Three libraries, in any order.
	f("i", "i<m:2", "m<o:1", "o:2")
	f("o", "o:2", "m<o:1", "i<m:2")
	f("m", "m<o:2", "i<m:2", "o:2")
	// In an agent's span, which is no request, calls are their own.
	f("1 2", "1<a:2", "2<a:2")
	f("i o", "i<t:2", "o:2")
	// A circle.
	f("a", "a<b:2", "b<a:2", "a<b:2")
	f("a", "a<a:2", "a<a:2")
	// Spans of another trace are others.
	d := NewDuplicates(time.Minute)
	other := fingerprint.Span{Trace: []byte("u"), ID: []byte("o"), Says: 2}
	if d.Seen(event("i<o:2")) || d.Seen(&Event{ID: "o", Span: spanOf(&fingerprint.Request{Span: other})}) {
		t.Error("a duplicate in another trace")
	}
	// So are embeddings.
	embeds := fingerprint.Span{Trace: []byte("t"), ID: []byte("e"), Around: []byte("o"), Says: 2, Embeds: true}
	d = NewDuplicates(time.Minute)
	if d.Seen(&Event{ID: "e", Span: spanOf(&fingerprint.Request{Span: embeds})}) || d.Seen(event("o:2")) {
		t.Error("a call for embeddings is taken for the one around it")
	}
	// A call may last, but not for ever.
	late := event("o:2")
	d = NewDuplicates(time.Second)
	d.Seen(event("i<o:2"))
	if late.Time = 1_000_001; d.Seen(late) {
		t.Error("a duplicate after the horizon")
	}
	if n := d.pairs.spans.live; n != 1 {
		t.Errorf("%d spans are remembered, want 1", n)
	}
}

// TestTwins: two libraries write a call each where it stood.
func TestTwins(t *testing.T) {
	f := func(want string, requests ...string) { // "a1-4x": the library, the time, what was said
		t.Helper()
		for _, restarts := range []bool{false, true} {
			d := NewDuplicates(time.Minute)
			var got []string
			for i, text := range requests {
				r := fingerprint.Request{Time: int64(text[1] - '0'), End: int64(text[3] - '0')}
				r.Span = fingerprint.Span{ID: []byte{byte('0' + i)}, Around: []byte("agent"), Library: []byte(text[:1]), Said: uint64(text[4])}
				if !d.Seen(&Event{Time: int64(i), ID: string(r.Span.ID), Span: spanOf(&r)}) {
					got = append(got, text)
				}
				if restarts {
					d = reloaded(t, d, stateVersion)
				}
			}
			if got := strings.Join(got, " "); got != want {
				t.Errorf("of %q count %q, want %q (restarts: %v)", requests, got, want, restarts)
			}
		}
	}
	f("a2-3x", "a2-3x", "b1-4x")
	f("b1-4x", "b1-4x", "a2-3x")
	f("a2-3x a6-7x", "a2-3x", "b1-4x", "a6-7x", "b5-8x")
	for _, inside := range []string{"a2-4x", "a2-3x", "a3-4x"} {
		f(inside, inside, "b2-4x")
		f("b2-4x", "b2-4x", inside)
	}
	f("a2-4x b3-5x", "a2-4x", "b3-5x") // neither in the other
	f("b3-5x a2-4x", "b3-5x", "a2-4x")
	f("a2-3x a3-4x", "a2-3x", "a3-4x", "b1-5x") // a call has one twin
	f("a2-3x b1-4y", "a2-3x", "b1-4y")          // other messages
	f("a2-3x b3-5x", "a2-3x", "b3-5x")          // another time
	f("a2-3x a1-4x", "a2-3x", "a1-4x")          // one library
}

// reloaded is what another process makes of it, from a state of a version.
func reloaded(t *testing.T, d *Duplicates, version uint64) *Duplicates {
	t.Helper()
	w := snapshot.NewWriter(nil)
	d.code(&coder{Codec: w.Codec()}, version)
	next, r := NewDuplicates(time.Minute), snapshot.NewReader(w.Bytes())
	next.code(&coder{Codec: r.Codec()}, version)
	if err := r.Err(); err != nil || r.Left() > 0 {
		t.Fatalf("%v, and %d bytes left", err, r.Left())
	}
	return next
}
