package window

import (
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// TestSpareStaysSmall: slabs that one huge line has made are not kept.
func TestSpareStaysSmall(t *testing.T) {
	spare := NewSpare()
	f := func(events, prints, kept int) {
		t.Helper()
		s := spare.take()
		s.Events, s.sums = append(s.Events, make([]Event, events)...), append(s.sums, make([]fingerprint.Fingerprint, prints)...)
		if s.Release(); len(spare) != kept {
			t.Errorf("%d events and %d fingerprints: %d slabs are kept, want %d", events, prints, len(spare), kept)
		}
	}
	f(0, 2*mostPrints, 0)
	f(2*mostEvents, 0, 0)
	f(10_000, 50_000, 1)
	f(2*mostEvents, 2*mostPrints, 0) // in those that were kept
}

// TestEventsThatWaitTakeWhatTheyNeed: what a block's events are made of stands in
// memory once, however many there are. A list that is copied as it grows leaves its
// old memory to the events that look at it: that was five times what they need.
func TestEventsThatWaitTakeWhatTheyNeed(t *testing.T) {
	rule := &Rule{Name: "r", Identity: byModel(t), Scope: bySession(t), Counter: CounterSpec{Kind: "sliding", Window: time.Hour}, Threshold: 4, Action: Warn}
	x := NewPlan([]*Rule{rule}, nil).NewExtractor(ExtractOptions{})
	events := make([]Event, 12_000)
	r := &fingerprint.Request{Model: []byte("m"), Session: []byte("s")}
	before := heapBytes()
	for i := range events {
		x.Event(r, &events[i])
	}
	used := heapBytes() - before
	const one = unsafe.Sizeof(Prints{}) + unsafe.Sizeof(fingerprint.Fingerprint{}) + unsafe.Sizeof(Scope{}) + unsafe.Sizeof("") + unsafe.Sizeof(Plain)
	if most := int64(2*one)*int64(len(events)) + 1<<18; used > most {
		t.Errorf("%d events hold %d bytes, more than %d", len(events), used, most)
	}
	runtime.KeepAlive(x)
	runtime.KeepAlive(events)
}
