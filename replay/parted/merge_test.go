package parted

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestMergeOfUnequalParts: what does not add up is not added up, be a part cut
// short between two lines or counted otherwise.
func TestMergeOfUnequalParts(t *testing.T) {
	part := func(key Key, o CountOptions) []byte {
		t.Helper()
		var out bytes.Buffer
		o.Plan, o.Key, o.MaxKeys = testPlan(t), key, 100
		if err := Count(t.Context(), strings.NewReader(rowWith(nil)+rowWith(map[int]string{colTime: "2000000"})), &out, o); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	plain := CountOptions{Policy: "p", Windows: []time.Duration{time.Minute}, Most: 3}
	f := func(name, want string, otherwise func(o *CountOptions), cut func(part []byte) []byte) {
		t.Helper()
		o := plain
		otherwise(&o)
		m := NewMerge()
		err := m.Add("one", bytes.NewReader(part(Keys[0], plain)))
		if err == nil {
			err = m.Add("other", bytes.NewReader(cut(part(Keys[1], o))))
		}
		if err == nil {
			_, err = m.Document("v0")
		}
		if ok := err == nil; ok != (want == "") || !ok && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	whole := func(part []byte) []byte { return part }
	f("alike", "", func(*CountOptions) {}, whole)
	f("cut", "nothing was counted by scope", func(*CountOptions) {}, func(part []byte) []byte {
		return part[:bytes.LastIndexByte(part[:len(part)-1], '\n')+1]
	})
	f("another number", "2 hits were counted by fingerprint, 3 by scope: a part is missing, or there twice", func(*CountOptions) {}, func(part []byte) []byte {
		return bytes.Replace(part, []byte(`"most":3,"hits":2`), []byte(`"most":3,"hits":3`), 1)
	})
	f("one episode in two", "stands in two parts", func(*CountOptions) {}, func(part []byte) []byte {
		return slices.Concat(part, []byte(`{"kind":"episode","rule":"r","episode":{"id":"lp-1"}}`+"\n"+`{"kind":"episode","rule":"r","episode":{"id":"lp-1"}}`+"\n"))
	})
	f("an episode of none", "episode lp-1 is of rule q, of which nothing was counted", func(*CountOptions) {}, func(part []byte) []byte {
		return append(part, `{"kind":"episode","rule":"q","episode":{"id":"lp-1","rule":"q"}}`...)
	})
	for _, line := range []string{"{}", `{"kind":"count","count":1}`, `{"kind":"episode"}`, `{"kind":"rule","rules":1}`, "rule"} {
		f(line, "other:1: not a line that 'loopgauge count' writes", func(*CountOptions) {}, func([]byte) []byte { return []byte(line) })
	}
	f("threshold", "up to threshold 4 here and to 3 before", func(o *CountOptions) { o.Most = 4 }, whole)
	f("windows", "with windows of [1 60] s here and of [60] s before", func(o *CountOptions) { o.Windows = []time.Duration{time.Second, time.Minute} }, whole)
	f("policy", "by another policy", func(o *CountOptions) { o.Policy = "q" }, whole)
}

// TestMergeAddsUp: of each setting hits, episodes and, where they are known, hits
// that are stopped, in the order of the counters. A second is a hit of a loop of
// three and of one of two, each in a part of its own.
func TestMergeAddsUp(t *testing.T) {
	row := func(scope, second string) string {
		return rowWith(map[int]string{colScope: strings.Repeat(scope, 16), colValues: digits("session") + ":" + digits(scope), colTime: second + "000000", colSeq: second})
	}
	parts := []string{row("0a", "1") + row("0a", "2") + row("0a", "3"), row("0c", "1") + row("0c", "2")}
	f := func(resets bool, want string) {
		t.Helper()
		p := testPlan(t)
		p.Rules[0].ResetOnFire = resets
		m := NewMerge()
		for _, key := range Keys {
			for _, rows := range parts {
				var out bytes.Buffer
				o := CountOptions{Plan: p, Key: key, Windows: []time.Duration{2 * time.Second, time.Minute}, Most: 4, MaxKeys: 100}
				if err := Count(t.Context(), strings.NewReader(rows), &out, o); err != nil {
					t.Fatal(err)
				}
				if err := m.Add(key.Name, &out); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := m.Add("dropped", strings.NewReader(`{"kind":"rule","rule":"r","key":"scope","windows_s":[2,60],"most":4,"dropped_keys":7}`)); err != nil {
			t.Fatal(err)
		}
		d, err := m.Document("v0")
		if err != nil {
			t.Fatal(err)
		}
		if n := d.Rules[0].DroppedKeys; n != 7 {
			t.Errorf("%d keys were dropped, not 7", n)
		}
		got := fmt.Sprintf("%d hits, %d episodes:", d.Rules[0].Hits, d.Rules[0].Episodes)
		for _, e := range d.Episodes {
			got += fmt.Sprintf(" %s %d", e.Scope["session"], e.Requests)
		}
		of := ""
		for _, s := range d.Rules[0].Settings {
			if now := fmt.Sprintf("\n%s %vs", s.Counter, s.WindowSeconds); now != of {
				got, of = got+now, now
			}
			got += fmt.Sprintf(", %d: %d %d", s.Threshold, s.Hits, s.Episodes)
			if s.Stopped != nil {
				got += fmt.Sprintf(" %d", *s.Stopped)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s", diff)
		}
	}
	f(false, `5 hits, 2 episodes: 0a 3 0c 2
sliding 2s, 2: 3 2 3
sliding 60s, 2: 3 2 3, 3: 1 1 1
fixed 2s, 2: 2 2 2
fixed 60s, 2: 3 2 3, 3: 1 1 1
refresh 2s, 2: 3 2 3, 3: 1 1 1
refresh 60s, 2: 3 2 3, 3: 1 1 1
streak 2s, 2: 3 2 3
streak 60s, 2: 3 2 3, 3: 1 1 1
cycle 2s, 2: 3 2 3
cycle 60s, 2: 3 2 3, 3: 1 1 1`)
	f(true, `5 hits, 2 episodes: 0a 2 0c 2
sliding 2s, 2: 3 2 2
sliding 60s, 2: 3 2 2, 3: 1 1 1
fixed 2s, 2: 2 2
fixed 60s, 2: 3 2, 3: 1 1
refresh 2s, 2: 3 2, 3: 1 1
refresh 60s, 2: 3 2, 3: 1 1
streak 2s, 2: 3 2
streak 60s, 2: 3 2, 3: 1 1
cycle 2s, 2: 3 2
cycle 60s, 2: 3 2, 3: 1 1`)
}

// TestCountFails: a part that was not counted to its end is no part, nor one that
// could not be written.
func TestCountFails(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	f := func(ctx context.Context, rows string, out io.Writer, want string) {
		t.Helper()
		if err := Count(ctx, strings.NewReader(rows), out, CountOptions{Plan: testPlan(t), Key: Keys[0], Windows: []time.Duration{time.Minute}, Most: 3, MaxKeys: 100}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	f(t.Context(), rowWith(nil)+"\n", io.Discard, "standard input: row 2: 1 columns, not 21")
	f(over, rowWith(nil), io.Discard, "canceled")
	read, write := io.Pipe()
	_ = read.CloseWithError(errors.New("no space")) // is always nil
	f(t.Context(), rowWith(nil), write, "no space")
}
