package tune

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
)

// TestRequestsOf: however conversations take turns, and whatever place they share,
// each has its requests; and where there are too many, each that is left has all of
// its own, and what is left is told by the hash alone.
func TestRequestsOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 40).Draw(t, "most")
		requests, all := newRequestsOf(most), map[conversation]uint32{}
		one := rapid.Custom(func(t *rapid.T) conversation {
			place, which := rapid.IntRange(0, 2).Draw(t, "place"), rapid.Uint64Range(0, 15).Draw(t, "which")
			return conversation(which<<60|uint64(place)<<1) | 1
		})
		for range rapid.IntRange(0, 3*countedAtOnce).Draw(t, "requests") {
			c := one.Draw(t, "conversation")
			requests.add(c)
			all[c]++
		}
		got := requests.counts()
		if len(got.of) > most && got.zeros < 4 || got.zeros == 0 && len(got.of) < len(all) {
			t.Fatalf("%d of %d conversations, %d zeros, %d at most", len(got.of), len(all), got.zeros, most)
		}
		for c, n := range all {
			if got.wants(c) && got.of[c] != n || !got.wants(c) && got.of[c] != 0 {
				t.Errorf("%016x has %d of %d requests, %d zeros", c, got.of[c], n, got.zeros)
			}
		}
	})
}

// TestSampledGateways: what gateways acted in is known of the same conversations as
// how many requests these had, whichever were too many.
func TestSampledGateways(t *testing.T) {
	rule := &window.Rule{Threshold: 2}
	for zeros := range 4 {
		c := newGatewayCounts([]Gateway{{Name: "a", Rules: []*window.Rule{rule}}}, nil)
		c.flagged.most = 16 >> zeros
		requests := newSampled[uint32](64)
		for i := range conversation(64) {
			who := i<<58 | 1
			requests.of[who] = 2
			if i%4 == 0 {
				c.fired(rule, &window.Event{}, who, false)
			}
		}
		r := Report{Result: &replay.Result{}, Options: Options{Labels: Labels{"a": true}}}
		r.compare(c, &requests, nil)
		r.label(&requests)
		g, want := r.Gateways[0], 64>>zeros
		if r.OneIn != 1<<zeros || r.Conversations != want || g.Normal != want || g.Long != want || g.Wrong != want/4 {
			t.Errorf("%+v of %d conversations, one in %d", g, r.Conversations, r.OneIn)
		}
		if unseen := r.Labelled.Unseen == 1; unseen != requests.wants(conversationOf("a")) {
			t.Errorf("one in %d: a session that is not there is unseen: %v", r.OneIn, unseen)
		}
	}
}
