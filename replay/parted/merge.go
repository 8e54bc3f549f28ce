package parted

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/loopgauge/loopgauge/replay"
	"github.com/loopgauge/loopgauge/window"
)

// Merge adds up what parts have counted, in any order.
type Merge struct {
	rules    map[string]*merged
	episodes map[string]replay.DocumentEpisode
	cells    map[cell]*Setting
}

type merged struct {
	policy  string
	windows []float64
	most    int
	hits    map[string]int64 // by key
	dropped int64
}

// cell is a rule's counter with a window, at a count.
type cell struct {
	rule, counter string
	window        float64
	count         int
}

// NewMerge makes a Merge.
func NewMerge() *Merge {
	return &Merge{rules: map[string]*merged{}, episodes: map[string]replay.DocumentEpisode{}, cells: map[cell]*Setting{}}
}

// Add adds what [Count] has written.
func (m *Merge) Add(name string, in io.Reader) error {
	r := bufio.NewReader(in)
	for n := 1; ; n++ {
		text, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(text) == 0 {
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := m.add(text); err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
}

func (m *Merge) add(text []byte) error {
	var l line
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return fmt.Errorf("not a line that 'loopgauge count' writes: %w", err)
	}
	switch {
	case l.Kind == ruleLine:
		return m.rule(&l)
	case l.Kind == countLine && l.Count >= 2:
		s := m.cells[cell{l.Rule, l.Counter, l.WindowSeconds, l.Count}]
		if s == nil {
			s = &Setting{Counter: l.Counter, WindowSeconds: l.WindowSeconds, Threshold: l.Count}
			m.cells[cell{l.Rule, l.Counter, l.WindowSeconds, l.Count}] = s
		}
		s.Hits += l.Hits
		s.Episodes += l.Rises
		if l.Stopped != nil {
			if s.Stopped == nil {
				s.Stopped = new(int64)
			}
			*s.Stopped += *l.Stopped
		}
	case l.Kind == episodeLine && l.Episode != nil:
		if _, twice := m.episodes[l.Episode.ID]; twice {
			return fmt.Errorf("episode %s stands in two parts: was one counted or named twice?", l.Episode.ID)
		}
		m.episodes[l.Episode.ID] = *l.Episode
	default:
		return errors.New("not a line that 'loopgauge count' writes")
	}
	return nil
}

func (m *Merge) rule(l *line) error {
	r := m.rules[l.Rule]
	if r == nil {
		r = &merged{policy: l.Policy, windows: l.Windows, most: l.Most, hits: map[string]int64{}}
		m.rules[l.Rule] = r
	}
	switch {
	case l.Most != r.most:
		return fmt.Errorf("rule %s was counted up to threshold %d here and to %d before: count all parts with the same flags", l.Rule, l.Most, r.most)
	case !slices.Equal(l.Windows, r.windows):
		return fmt.Errorf("rule %s was counted with windows of %v s here and of %v s before: count all parts with the same flags", l.Rule, l.Windows, r.windows)
	case l.Policy != r.policy:
		return fmt.Errorf("rule %s was counted by another policy before: count all parts by the same", l.Rule)
	}
	r.hits[l.Key] += l.Hits
	r.dropped += l.Dropped
	return nil
}

// Document is what was merged, as a contract: docs/spark.md.
type Document struct {
	Version   int                      `json:"version"`
	Loopgauge string                   `json:"loopgauge"`
	Rules     []Rule                   `json:"rules"`    // by name
	Episodes  []replay.DocumentEpisode `json:"episodes"` // by the time of their first firing
}

// Rule is what one rule has counted.
type Rule struct {
	Name        string    `json:"name"`
	Hits        int64     `json:"hits"`
	DroppedKeys int64     `json:"dropped_keys"`
	Episodes    int64     `json:"episodes"` // of the rule as it is
	Settings    []Setting `json:"settings"`
}

// Setting is what a rule with a counter, a window and a threshold would do.
type Setting struct {
	Counter       string  `json:"counter"`
	WindowSeconds float64 `json:"window_s"`
	Threshold     int     `json:"threshold"`
	Hits          int64   `json:"hits"`     // with a count of the threshold or more
	Episodes      int64   `json:"episodes"` // that a rule with it would open
	Stopped       *int64  `json:"stopped"`  // hits that the gateway would act on; null if tripping changes what the rule counts, but not by this counter
}

// Document is the sum of all that was added.
func (m *Merge) Document(version string) (*Document, error) {
	d := &Document{Version: 1, Loopgauge: version, Rules: []Rule{}, Episodes: []replay.DocumentEpisode{}}
	for _, name := range slices.Sorted(maps.Keys(m.rules)) {
		r := m.rules[name]
		rule := Rule{Name: name, DroppedKeys: r.dropped, Settings: []Setting{}}
		// Both statements see every hit.
		for _, key := range Keys {
			n, ok := r.hits[key.Name]
			switch {
			case !ok:
				return nil, fmt.Errorf("rule %s: nothing was counted by %s: run 'loopgauge count --by %s' too, and merge both", name, key.Name, key.Name)
			case key != Keys[0] && n != rule.Hits:
				return nil, fmt.Errorf("rule %s: %d hits were counted by %s, %d by %s: a part is missing, or there twice", name, rule.Hits, Keys[0].Name, n, key.Name)
			}
			rule.Hits = n
		}
		rule.Settings = m.settings(name, r.most)
		d.Rules = append(d.Rules, rule)
	}
	d.Episodes = slices.AppendSeq(d.Episodes, maps.Values(m.episodes))
	slices.SortFunc(d.Episodes, func(a, b replay.DocumentEpisode) int {
		return cmp.Or(cmp.Compare(a.Fired, b.Fired), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.ID, b.ID))
	})
	for i := range d.Episodes {
		at, ok := slices.BinarySearchFunc(d.Rules, d.Episodes[i].Rule, func(r Rule, name string) int { return cmp.Compare(r.Name, name) })
		if !ok {
			return nil, fmt.Errorf("episode %s is of rule %s, of which nothing was counted", d.Episodes[i].ID, d.Episodes[i].Rule)
		}
		d.Rules[at].Episodes++
	}
	return d, nil
}

// settings sums the counts of a rule from above.
func (m *Merge) settings(rule string, most int) []Setting {
	list := []Setting{}
	for c := range m.cells {
		if c.rule == rule && !slices.ContainsFunc(list, func(s Setting) bool { return s.Counter == c.counter && s.WindowSeconds == c.window }) {
			list = append(list, Setting{Counter: c.counter, WindowSeconds: c.window})
		}
	}
	kind := func(name string) int {
		return slices.IndexFunc(window.Counters, func(k window.CounterKind) bool { return k.Name == name })
	}
	slices.SortFunc(list, func(a, b Setting) int {
		return cmp.Or(cmp.Compare(kind(a.Counter), kind(b.Counter)), cmp.Compare(a.WindowSeconds, b.WindowSeconds))
	})
	all := []Setting{}
	for _, s := range list {
		from, hits := len(all), int64(0)
		for count := most; count >= 2; count-- {
			at := m.cells[cell{rule, s.Counter, s.WindowSeconds, count}]
			if at == nil && hits == 0 {
				continue
			}
			s.Threshold, s.Episodes, s.Stopped = count, 0, nil
			if at != nil {
				hits += at.Hits
				s.Episodes, s.Stopped = at.Episodes, at.Stopped
			}
			s.Hits = hits
			all = append(all, s)
		}
		slices.Reverse(all[from:])
	}
	return all
}
