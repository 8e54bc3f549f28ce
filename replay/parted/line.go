package parted

import "github.com/loopgauge/loopgauge/replay"

// line is a line of what was counted of a part, as JSON. Numbers add up, and an
// episode is in one part only.
type line struct {
	Kind string `json:"kind"`
	Rule string `json:"rule"`
	Key  string `json:"key,omitempty"` // what the part was sorted by

	// ruleLine: one per rule, behind its others
	Policy  string    `json:"policy,omitempty"`    // its hash
	Windows []float64 `json:"windows_s,omitempty"` // counted with
	Most    int       `json:"most,omitempty"`      // the highest threshold
	Dropped int64     `json:"dropped_keys,omitempty"`

	// countLine: one per counter, window and count
	Counter       string  `json:"counter,omitempty"`
	WindowSeconds float64 `json:"window_s,omitempty"`
	Count         int     `json:"count,omitempty"`   // the highest stands for itself and all above
	Hits          int64   `json:"hits,omitempty"`    // with that count; of a ruleLine, all
	Rises         int64   `json:"rises,omitempty"`   // to that count, after a pause: episodes of a rule with that threshold
	Stopped       *int64  `json:"stopped,omitempty"` // by a rule with that threshold; null if tripping changes what the rule counts, but not by this counter

	Episode *replay.DocumentEpisode `json:"episode,omitempty"` // episodeLine
}

const (
	ruleLine    = "rule"
	countLine   = "count"
	episodeLine = "episode"
)
