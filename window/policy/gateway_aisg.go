package policy

import (
	"fmt"
	"strconv"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/loopgauge/loopgauge/window"
)

var aisgForm = Gateway{
	Name: "aisg", Form: "an environment file with LOOP_GUARD_ variables",
	profiles: []string{"aisg", "aisg-article"},
	read:     readAISG, settings: aisgSettings, write: writeAISG,
}

var aisgVariables = []string{"LOOP_GUARD_WINDOW_SECONDS", "LOOP_GUARD_MAX_HITS", "LOOP_GUARD_COOLDOWN_SECONDS"}

// readAISG reads the three variables; those that are not set are as AISG has
// them: more than 5 in 60 s, a cooldown of 30 s.
func readAISG(in *imported) {
	vars := in.ours("LOOP_GUARD_", aisgVariables)
	values, least, most := []int64{60, 5, 30}, []int64{1, 0, 0}, []int64{mostSeconds, maxThreshold - 1, mostSeconds}
	found := false
	for i, name := range aisgVariables {
		v, ok := vars[name]
		if !ok {
			continue
		}
		found = true
		n, err := strconv.ParseInt(v.value, 10, 64)
		if err != nil || n < least[i] || n > most[i] {
			in.errors = append(in.errors, Problem{File: in.File, Line: v.line, Column: 1, Path: name, What: fmt.Sprintf("must be a whole number from %d to %d, is %q", least[i], most[i], v.value)})
			continue
		}
		values[i] = n
	}
	in.errors = in.errors.sorted() // by where they stand in the file
	if !found || len(in.errors) > 0 {
		return
	}
	seconds, hits, cooldown := values[0], values[1], values[2]
	enabled := hits > 0
	if !enabled {
		hits = 5 // of a rule that is off; any would do
		in.say("LOOP_GUARD_MAX_HITS", "is 0, which switches the guard off: so is the rule")
	}
	in.rule("aisg", enabled, seconds, hits+1, window.Reject, yaml.MapItem{Key: "cooldown", Value: wholeSeconds(cooldown)})
}

func aisgSettings(f *fitted) {
	f.takeAction("AISG", window.Reject)
	if f.rule.threshold < window.LeastThreshold {
		f.refuse("threshold", "must be 2 or more for AISG, is %d: a maximum of 0 switches the guard off", f.rule.threshold)
	}
	if f.rule.cooldown%time.Second != 0 {
		f.refuse("cooldown", "must be whole seconds for AISG, is %s", window.Lasting(f.rule.cooldown))
	}
	f.again.cooldown = f.rule.cooldown
	if f.again.cooldown == 0 {
		f.again.cooldownCounts = true // there is none to count in
	}
}

func writeAISG(x *exported) []byte {
	d := x.only("AISG's environment")
	most := d.threshold - 1
	if !d.enabled {
		most = 0
	}
	return fmt.Appendf(nil, "LOOP_GUARD_WINDOW_SECONDS=%d\nLOOP_GUARD_MAX_HITS=%d\nLOOP_GUARD_COOLDOWN_SECONDS=%d\n", d.counter.Window/time.Second, most, d.cooldown/time.Second)
}
