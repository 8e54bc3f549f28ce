package formats

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// overName is of a time at which a call was over, or its line was written, and begunName
// of one at which it began.
var (
	overName  = regexp.MustCompile(`^(?:edge)?end|ended|finish|complet|response|^log(?:g|time|date)`)
	begunName = regexp.MustCompile(`start|beg[aiu]n|creat|request|received`)
)

// isOver tells whether the only time is that at which calls were over, where the records
// say how long they took: it is called so, or the records are in its order rather than
// in that of the ends they would have if it was when calls began, of which two change
// places if the first took longer, or, where they are in both, a logger wrote the line.
func (g *guesser) isOver(times CustomField) bool {
	if len(times.Paths) == 0 {
		return false
	}
	path := times.Paths[0]
	used := map[string]bool{path: true}
	took := g.guessed("duration", used)
	if took == "" || g.guessed("end", used) != "" {
		return false
	}
	switch {
	case isLate(path, overName):
		return true
	case begunName.MatchString(lastName(path)):
		return false
	}
	if begun, over := g.stepsBack(times, took); begun != over {
		return begun < over
	}
	return g.format.Pattern != nil && !g.labels || !strings.Contains(strings.TrimPrefix(path, g.within()), ".") && (g.has("level") || g.has("severity") || g.has("levelname"))
}

// stepsBack counts the records whose time is earlier than that of the one before, and
// those whose end would be if the time was when calls began.
func (g *guesser) stepsBack(times CustomField, took string) (begun, over int) {
	duration := CustomField{Name: "duration", Paths: []string{took}, Unit: unixLayouts["unix_"+g.unit(took)]}
	var starts, ends []int64
	step := int64(time.Second / time.Microsecond) // of times without a fraction, which do not tell what came first
	g.parse(func(r *fingerprint.Request) {
		if CheckTime(r) != "" || r.End == fingerprint.NoTime {
			return
		}
		if r.Time%step != 0 {
			step = 1
		}
		starts, ends = append(starts, r.Time), append(ends, r.End)
	}, times, duration)
	if last := len(starts) - 1; last > 0 && starts[0] > starts[last] && ends[0] > ends[last] { // the newest first
		slices.Reverse(starts)
		slices.Reverse(ends)
	}
	return stepsBack(starts, step), stepsBack(ends, step)
}

// stepsBack counts the times that are earlier than the one before by a step at least.
func stepsBack(times []int64, step int64) (n int) {
	for i := 1; i < len(times); i++ {
		if times[i] <= times[i-1]-step {
			n++
		}
	}
	return n
}
