package formats

import (
	"regexp"
	"strings"
	"time"

	"github.com/loopgauge/loopgauge/fingerprint"
)

// isLogged tells the name of a time at which a line was written, or a call was over, and
// isBegun that of one at which it began.
var (
	isLogged = regexp.MustCompile(`^(?:edge)?end|ended|finish|complet|^log(?:g|time|date)`)
	isBegun  = regexp.MustCompile(`start|beg[aiu]n|creat|request|received`)
)

// isOver tells whether the only time is that at which calls were over, where the records
// say how long they took: it is called so, or is that of a line that a logger wrote, or
// the records are in its order.
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
	name := folded(path[strings.LastIndexByte(path, '.')+1:])
	switch {
	case isLogged.MatchString(name):
		return true
	case isBegun.MatchString(name):
		return false
	}
	written := g.format.Pattern != nil && !g.labels || !strings.Contains(path, ".") && (g.has("level") || g.has("severity") || g.has("levelname"))
	return written || g.endedInOrder(times, took)
}

// endedInOrder tells whether the records are in the order of their time, and less so in
// that of the ends they would have if it was when calls began: taken for that, two calls
// of which the first took longer change places.
func (g *guesser) endedInOrder(times CustomField, took string) bool {
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
	return stepsBack(starts, step) < stepsBack(ends, step)
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
