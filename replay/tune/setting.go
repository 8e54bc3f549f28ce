package tune

import (
	"iter"
	"math"
	"slices"

	"github.com/loopgauge/loopgauge/window"
)

// Setting is what one cell at one threshold would have done to the log.
type Setting struct {
	Kind      string
	Window    float64 // seconds
	Threshold int

	Requests, Episodes        int64
	Share                     float64 // of the requests judged
	EpisodesPerDay            float64
	Scopes, Sessions, Callers int64
	TokensBefore, TokensAfter int64
	CostBefore, CostAfter     float64 // USD
	DelayMedian, DelayP95     float64 // seconds from the first repeat to the firing; NaN without an episode
	Stopped                   int64   // requests, with what the gateway does on tripping; -1 is not simulated

	Caught int // loops it fires on
	Missed int // loops it does not fire on
	Wrong  int // repeats it fires on that are wrong to stop

	Excluded int // repeats it fires on that the policy's exclusions take out
}

// Settings are those of a swept rule that something reaches, and of each cell
// the first that nothing does.
func (r *Report) Settings(target int) iter.Seq[Setting] {
	return func(yield func(Setting) bool) {
		t := &r.Sweep[target]
		for c := range len(t.Cells) + len(t.Tracker) {
			for threshold, last := r.lowest(), r.last(t.Cell(c)); threshold <= last; threshold++ {
				if !yield(r.Setting(target, c, threshold)) {
					return
				}
			}
		}
	}
}

// lowest is the lowest threshold that is shown.
func (r *Report) lowest() int { return max(2, r.Options.Least) }

// last is the highest threshold of a cell that Settings has.
func (r *Report) last(cell *window.Swept) int {
	reached := cell.Requests[r.lowest() : r.Options.Most+1]
	if none := slices.Index(reached, 0); none >= 0 {
		return r.lowest() + none
	}
	return r.Options.Most
}

// Setting is what a cell of Report.Cells does at a threshold. Behind these
// cells come those of the tracker, where the rule has one.
func (r *Report) Setting(target, cell, threshold int) Setting {
	t := &r.Sweep[target]
	swept := t.Cell(cell)
	s := Setting{
		Kind: swept.Kind, Window: swept.Window.Seconds(), Threshold: threshold,
		Requests: swept.Requests[threshold], Share: share(swept.Requests[threshold], r.Result.Account.Judged),
		Episodes: swept.Episodes[threshold], EpisodesPerDay: perDay(float64(swept.Episodes[threshold]), r.Days),
		Scopes: swept.Scopes[threshold], Sessions: swept.Sessions[threshold], Callers: swept.Callers[threshold],
		TokensBefore: swept.TokensBefore[threshold], TokensAfter: swept.TokensAfter[threshold],
		CostBefore: dollars(swept.CostBefore[threshold]), CostAfter: dollars(swept.CostAfter[threshold]),
		DelayMedian: seconds(swept.DelayMedian[threshold]), DelayP95: seconds(swept.DelayP95[threshold]),
		Stopped: -1,
	}
	switch {
	case swept.Stopped != nil:
		s.Stopped = swept.Stopped[threshold]
	case !t.Rule.ChangesCounts():
		s.Stopped = s.Requests
	}
	o := &r.outcomes[target][cell][threshold]
	s.Caught, s.Missed, s.Wrong, s.Excluded = o.Caught, o.Missed(), o.Wrong, o.Excluded
	return s
}

func seconds(micros int64) float64 {
	if micros == window.Never {
		return math.NaN()
	}
	return float64(micros) / 1e6
}

// dollars takes out what adding and taking away has left over.
func dollars(usd float64) float64 { return math.Round(usd*1e9) / 1e9 }
