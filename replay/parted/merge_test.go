package parted

import (
	"bytes"
	"fmt"
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
		d, err := m.Document("v0")
		if err != nil {
			t.Fatal(err)
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
