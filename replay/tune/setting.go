package tune

import (
	"iter"
	"slices"

	"github.com/loopgauge/loopgauge/window"
)

// Setting is what one cell at one threshold would have done to the log, as the
// document has it.
type Setting struct {
	Kind           string   `json:"kind"`
	WindowSeconds  float64  `json:"window_s"`
	Threshold      int      `json:"threshold"`
	Requests       int64    `json:"requests"`
	Share          float64  `json:"share"` // of the requests judged
	Episodes       int64    `json:"episodes"`
	EpisodesPerDay float64  `json:"episodes_per_day"`
	Scopes         int64    `json:"scopes"`
	Sessions       int64    `json:"sessions"`
	Callers        int64    `json:"callers"`
	TokensBefore   int64    `json:"tokens_before"`
	TokensAfter    int64    `json:"tokens_after"`
	CostBefore     float64  `json:"cost_before"` // USD
	CostAfter      float64  `json:"cost_after"`
	DelayMedian    *float64 `json:"delay_median_s"` // from the first repeat to the firing; nil without an episode
	DelayP95       *float64 `json:"delay_p95_s"`
	Caught         int      `json:"caught"`  // loops it fires on
	Missed         int      `json:"missed"`  // loops it does not fire on
	Wrong          int      `json:"wrong"`   // repeats it fires on that are wrong to stop
	Excluded       int      `json:"-"`       // repeats it fires on that the policy's exclusions take out
	Alerts         int      `json:"-"`       // its episodes, of which those that run at the same time in one place are one
	Stopped        *int64   `json:"stopped"` // requests, with what the gateway does on tripping; nil if not simulated
}

// Settings are those of a swept rule that something reaches, and of each cell
// the first that nothing does.
func (r *Report) Settings(target int) iter.Seq[Setting] {
	return func(yield func(Setting) bool) {
		t := &r.Sweep[target]
		for c := range len(t.Cells) + len(t.Tracker) {
			for threshold, last := r.Options.Least, r.last(t.Cell(c)); threshold <= last; threshold++ {
				if !yield(r.Setting(target, c, threshold)) {
					return
				}
			}
		}
	}
}

// last is the highest threshold of a cell that Settings has.
func (r *Report) last(cell *window.Swept) int {
	reached := cell.Requests[r.Options.Least : r.Options.Most+1]
	if none := slices.Index(reached, 0); none >= 0 {
		return r.Options.Least + none
	}
	return r.Options.Most
}

// Setting is what a cell of Report.Cells does at a threshold. Behind these
// cells come those of the tracker, where the rule has one.
func (r *Report) Setting(target, cell, threshold int) Setting {
	t := &r.Sweep[target]
	swept := t.Cell(cell)
	s := Setting{
		Kind: swept.Kind, WindowSeconds: swept.Window.Seconds(), Threshold: threshold,
		Requests: swept.Requests[threshold], Share: share(swept.Requests[threshold], r.Result.Account.Judged),
		Episodes: swept.Episodes[threshold], EpisodesPerDay: perDay(float64(swept.Episodes[threshold]), r.Days),
		Scopes: swept.Scopes[threshold], Sessions: swept.Sessions[threshold], Callers: swept.Callers[threshold],
		TokensBefore: swept.TokensBefore[threshold], TokensAfter: swept.TokensAfter[threshold],
		CostBefore: swept.CostBefore[threshold], CostAfter: swept.CostAfter[threshold],
		DelayMedian: seconds(swept.DelayMedian[threshold]), DelayP95: seconds(swept.DelayP95[threshold]),
		Stopped: swept.StoppedAt(t.Rule, threshold),
	}
	o := &r.outcomes[target][cell][threshold]
	s.Caught, s.Missed, s.Wrong, s.Excluded, s.Alerts = o.Caught, o.Missed(), o.Wrong, o.Excluded, o.Alerts
	return s
}

func seconds(micros int64) *float64 {
	if micros == window.Never {
		return nil
	}
	return new(float64(micros) / 1e6)
}
